import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { beginSpan, type OpenSpan, runIn, type SpanStart } from '@offizin/runtime/tracing';

/**
 * Each traced event gets a span. The trace context travels in its envelope, because a message holds events of many
 * traces.
 */
export async function publishTraced(
  events: readonly OutboxEvent[],
  send: (events: OutboxEvent[]) => Promise<void>,
): Promise<void> {
  const steps = stepsOf(events, 'publish event', 'producer');
  try {
    await send(steps.map(({ event }) => event));
  } catch (error) {
    for (const { span } of steps) span?.fail('not acknowledged');
    throw error;
  } finally {
    for (const { span } of steps) span?.end();
  }
}

/** Each traced event gets a span. The statements serve the whole batch, so they are traced only for a single event. */
export async function handleTraced<Result>(
  events: readonly OutboxEvent[],
  handle: (events: OutboxEvent[]) => Promise<Result>,
): Promise<Result> {
  if (!events.some(({ traceparent }) => traceparent)) return handle([...events]);
  const steps = stepsOf(events, 'take event', 'consumer');
  const [only] = steps.length === 1 ? steps : [];
  try {
    return await runIn(only?.span ?? null, () => handle(steps.map(({ event }) => event)));
  } catch (error) {
    for (const { span } of steps) span?.fail('not taken');
    throw error;
  } finally {
    for (const { span } of steps) span?.end();
  }
}

function stepsOf(
  events: readonly OutboxEvent[],
  name: string,
  kind: SpanStart['kind'],
): { event: OutboxEvent; span: OpenSpan | null }[] {
  return events.map((event) => {
    if (!event.traceparent) return { event, span: null };
    const { traceparent: parent } = event;
    const span = beginSpan({ name, kind, parent, attributes: of(event) });
    return { event: { ...event, traceparent: span?.traceparent ?? parent }, span };
  });
}

function of({ id, eventType }: OutboxEvent): Record<string, string> {
  return {
    'messaging.system': 'nats',
    'messaging.destination.name': 'EVENTS',
    'offizin.event_type': eventType,
    'offizin.event_id': id,
  };
}

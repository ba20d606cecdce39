import { headers as newHeaders, type MsgHdrs } from 'nats';
import type { OutboxEvent } from '@offizin/contracts/events';
import { beginSpan, runIn, traced } from '@offizin/runtime/tracing';

/** W3C Trace Context over the stream: a header of the message, beside the event and not in its body. */
export const TRACEPARENT_HEADER = 'traceparent';

/** Publishes as a step of the trace in which the event was written. */
export async function publishTraced(
  event: OutboxEvent & { traceparent: string },
  send: (headers: MsgHdrs) => Promise<void>,
): Promise<void> {
  const { traceparent: parent } = event;
  await traced({ name: 'publish event', kind: 'producer', parent, attributes: of(event) }, (span) => {
    const headers = newHeaders();
    headers.set(TRACEPARENT_HEADER, span?.traceparent ?? parent);
    return send(headers);
  });
}

/**
 * Hands a batch to its handler; each event that is traced gets a step of its own, from here to the end of the batch,
 * and goes on under it. Statements belong to all of the batch, so they stand in a trace only when it is one event.
 */
export async function handleTraced(
  events: readonly OutboxEvent[],
  handle: (events: OutboxEvent[]) => Promise<void>,
): Promise<void> {
  const steps = events.map((event) => {
    if (!event.traceparent) return { event, span: null };
    const { traceparent: parent } = event;
    const span = beginSpan({ name: 'take event', kind: 'consumer', parent, attributes: of(event) });
    return { event: { ...event, traceparent: span?.traceparent ?? parent }, span };
  });
  const [only] = steps.length === 1 ? steps : [];
  try {
    await runIn(only?.span ?? null, () => handle(steps.map(({ event }) => event)));
  } catch (error) {
    for (const { span } of steps) span?.fail('not taken');
    throw error;
  } finally {
    for (const { span } of steps) span?.end();
  }
}

function of({ id, eventType }: OutboxEvent): Record<string, string> {
  return {
    'messaging.system': 'nats',
    'messaging.destination.name': 'EVENTS',
    'offizin.event_type': eventType,
    'offizin.event_id': id,
  };
}

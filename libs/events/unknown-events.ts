import type { NatsConnection } from 'nats';
import { serviceCaller } from '@offizin/contracts/caller';
import { unknownEvents } from '@offizin/contracts/unknown-events';
import type { EventLane } from '@offizin/contracts/events';
import type { ServiceName } from '@offizin/contracts/operation';
import { newRequestId } from '@offizin/runtime/request-id';
import type { Bus } from '@offizin/bus/bus';
import { EVENTS_STREAM } from './event-stream';
import { infoOrNull } from '@offizin/bus/jetstream';

/**
 * Who follows which lane of the stream EVENTS. The worker follows every event, the catalog what concerns stock; records
 * for the audit log are order-core's alone.
 */
const CONSUMERS: Record<EventLane, ServiceName[]> = {
  plain: ['webhook-worker'],
  stock: ['webhook-worker', 'catalog'],
  audit: ['order-core'],
};

/** All that follow the stream; the name of the service is that of its durable consumer. */
export const eventConsumers: readonly ServiceName[] = [...new Set(Object.values(CONSUMERS).flat())];

/** Asks every consumer of the lane which of the events it does not know; for the outbox relay. */
export async function eventsUnknownTo(
  bus: Bus,
  asker: ServiceName,
  lane: EventLane,
  ids: string[],
): Promise<string[]> {
  const caller = serviceCaller(asker, newRequestId());
  const answers = await Promise.all(
    CONSUMERS[lane].map((consumer) => bus.call(unknownEvents(consumer), caller, { ids })),
  );
  return [...new Set(answers.flatMap((answer) => answer.ids))];
}

/**
 * With more messages before a consumer, an event that it does not know is rather on its way than lost. Under load a few are
 * in hand; behind a consumer that was away there are thousands, of up to 64 events.
 */
const MANY_MESSAGES = 50;

type Ask = (lane: EventLane, ids: string[]) => Promise<string[]>;

/**
 * What the outbox relay asks: `unknown` soon after publishing, `lost` long after. The latter rejects while a consumer of
 * the lane is behind: what is on its way must not be published again.
 *
 * Buys: after 150,000 orders without the worker, 72,000 events were published a second time while it took the first ones
 * (25 s), and every new event waited behind them.
 */
export function relayQuestions(connection: NatsConnection, unknown: Ask): { unknown: Ask; lost: Ask } {
  return {
    unknown,
    lost: async (lane, ids) => {
      const manager = await connection.jetstreamManager({ timeout: 5_000, checkAPI: false });
      for (const consumer of CONSUMERS[lane]) {
        const info = await infoOrNull(() => manager.consumers.info(EVENTS_STREAM, consumer));
        if (!info || info.num_pending + info.num_ack_pending > MANY_MESSAGES)
          throw new Error(`${consumer} is behind`);
      }
      return unknown(lane, ids);
    },
  };
}

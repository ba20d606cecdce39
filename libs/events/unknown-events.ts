import type { NatsConnection } from 'nats';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import { unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import type { EventTopic } from '@offizin/contracts/webhooks/events';
import type { ServiceName } from '@offizin/contracts/calls/operation';
import { newRequestId } from '@offizin/runtime/request-id';
import type { Bus } from '@offizin/bus/bus';
import { EVENTS_STREAM } from './event-stream';
import { infoOrNull } from '@offizin/bus/connection';

/** A new consumer must be added here, or rows are deleted before it received them. */
const CONSUMERS: Record<EventTopic, ServiceName[]> = {
  plain: ['webhook-worker'],
  stock: ['webhook-worker', 'catalog'],
  audit: ['order-core'],
};

export const eventConsumers: readonly ServiceName[] = [...new Set(Object.values(CONSUMERS).flat())];

export async function eventsUnknownTo(
  bus: Bus,
  asker: ServiceName,
  topic: EventTopic,
  ids: string[],
): Promise<string[]> {
  const caller = serviceCaller(asker, newRequestId());
  const answers = await Promise.all(
    CONSUMERS[topic].map((consumer) => bus.call(unknownEvents(consumer), caller, { ids })),
  );
  return [...new Set(answers.flatMap((answer) => answer.ids))];
}

/** With more pending messages, an unknown event is probably in transit. */
const MANY_MESSAGES = 50;

type Ask = (topic: EventTopic, ids: string[]) => Promise<string[]>;

/**
 * `lost` rejects while a consumer of the topic is behind, so that events in transit are not published again (decision
 * 0027).
 */
export function relayQuestions(connection: NatsConnection, unknown: Ask): { unknown: Ask; lost: Ask } {
  return {
    unknown,
    lost: async (topic, ids) => {
      const manager = await connection.jetstreamManager({ timeout: 5_000, checkAPI: false });
      for (const consumer of CONSUMERS[topic]) {
        const info = await infoOrNull(() => manager.consumers.info(EVENTS_STREAM, consumer));
        if (!info || info.num_pending + info.num_ack_pending > MANY_MESSAGES)
          throw new Error(`${consumer} is behind`);
      }
      return unknown(topic, ids);
    },
  };
}

import { serviceCaller } from '@offizin/contracts/caller';
import { unknownEvents } from '@offizin/contracts/event-feed';
import type { EventLane } from '@offizin/contracts/events';
import type { ServiceName } from '@offizin/contracts/operation';
import { newRequestId } from '@offizin/runtime/request-id';
import type { Bus } from './bus';

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

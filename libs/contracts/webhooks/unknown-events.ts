import { MAX_TEXT_LENGTH, Text } from '../calls/fields';
import {
  operation,
  type DtoClass,
  type NoFields,
  type Operation,
  type ServiceName,
} from '../calls/operation';

/** Largest number of ids asked about in one call. */
export const MAX_EVENT_IDS = 500;

export class EventIds {
  @Text({ maxLength: MAX_TEXT_LENGTH, listOf: { maxItems: MAX_EVENT_IDS } }) ids!: string[];
}

/**
 * Reconciliation: every 30 s each owner of an outbox asks each consumer which of its recent events it does not
 * know, and publishes those again. So events lost with a wiped or replaced broker are recovered automatically.
 */
export function unknownEvents(consumer: ServiceName): Operation<'', NoFields, EventIds, EventIds> {
  return operation({
    name: 'events.unknown',
    summary: 'Which of these events has the consumer not seen?',
    service: consumer,
    access: 'internal',
    method: 'POST',
    path: '',
    body: EventIds satisfies DtoClass<EventIds>,
    reply: EventIds,
  });
}

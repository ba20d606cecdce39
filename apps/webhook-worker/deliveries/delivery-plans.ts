import { DELIVERY_STATUSES, type DeliveryStatus } from '@offizin/contracts/webhooks';

/**
 * How the lists of deliveries filter. A generic plan (queue-plans.ts) takes `$1 IS NULL OR …` for a filter and walks all
 * the rows. So a status is part of the text, and ids are bounded even if the caller gave no bound.
 */
export type StatusFilter = DeliveryStatus | 'any';

/** One statement, and so one plan, per status. */
export function statementsByStatus<Made>(make: (status: StatusFilter) => Made): Record<StatusFilter, Made> {
  const entries = ([...DELIVERY_STATUSES, 'any'] as const).map((status) => [status, make(status)] as const);
  return Object.fromEntries(entries) as Record<StatusFilter, Made>;
}

export function statusIs(status: StatusFilter): string {
  return status === 'any' ? 'true' : `d.status = '${status}'`;
}

/** As SQL: the parameter, or the smallest id where it is null. */
export function idOrFirst(parameter: string): string {
  return `coalesce(${parameter}::uuid, '00000000-0000-0000-0000-000000000000')`;
}

/** As SQL: the parameter, or an id above all where it is null. */
export function idOrLast(parameter: string): string {
  return `coalesce(${parameter}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;
}

import type { Operation } from '../history/history';

/**
 * *Lost*: answered ok, but not stored at the end. *Doubled*: one key with two rows. *Mistaken*: an ok answer names another
 * row than the stored one. A call with an unknown outcome may be stored or not.
 */
export interface SetVerdict {
  acknowledged: number;
  lost: string[];
  doubled: string[];
  mistaken: string[];
}

export function checkSet(
  operations: readonly Pick<Operation, 'key' | 'outcome' | 'id'>[],
  stored: readonly { key: string; id: string }[],
): SetVerdict {
  const rows = groupIds(stored);
  const acknowledged = groupIds(
    operations.flatMap(({ key, outcome, id }) => (outcome === 'ok' ? [{ key, id: id ?? '' }] : [])),
  );
  return {
    acknowledged: acknowledged.size,
    lost: [...acknowledged.keys()].filter((key) => !rows.has(key)),
    doubled: [...rows].filter(([, ids]) => ids.size > 1).map(([key]) => key),
    mistaken: [...acknowledged]
      .filter(([key, ids]) => rows.has(key) && [...ids].some((id) => !rows.get(key)?.has(id)))
      .map(([key]) => key),
  };
}

/** One POST to a subscriber. */
export interface Arrival {
  endpoint: string;
  eventId: string;
  deliveryId: string;
}

export interface DeliveryVerdict {
  /** `endpoint event` that never arrived. */
  undelivered: string[];
  /** `endpoint event` that arrived under two delivery ids. */
  doubled: string[];
  /** Arrivals after the first of their delivery id; allowed, because delivery is at least once. */
  repeats: number;
}

/** Every event reaches every endpoint, under one delivery id. */
export function checkDeliveries(
  eventIds: readonly string[],
  endpoints: readonly string[],
  arrivals: readonly Arrival[],
): DeliveryVerdict {
  const ids = groupIds(arrivals.map((a) => ({ key: `${a.endpoint} ${a.eventId}`, id: a.deliveryId })));
  const wanted = endpoints.flatMap((endpoint) => eventIds.map((event) => `${endpoint} ${event}`));
  const deliveries = new Set(arrivals.map(({ endpoint, deliveryId }) => `${endpoint} ${deliveryId}`));
  return {
    undelivered: wanted.filter((key) => !ids.has(key)),
    doubled: [...ids].filter(([, deliveryIds]) => deliveryIds.size > 1).map(([key]) => key),
    repeats: arrivals.length - deliveries.size,
  };
}

function groupIds(pairs: readonly { key: string; id: string }[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { key, id } of pairs) groups.set(key, (groups.get(key) ?? new Set()).add(id));
  return groups;
}

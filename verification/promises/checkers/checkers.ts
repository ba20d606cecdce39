import type { Operation } from '@offizin/testkit/load/history';
import { percentile } from '@offizin/testkit/load/tally';

/**
 * *Lost*: answered ok, but not stored at the end. *Doubled*: one key with two rows. *Mistaken*: an ok answer names another
 * row than the stored one. A call with an unknown outcome may be stored or not.
 */
interface SetVerdict {
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

interface DeliveryVerdict {
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

/** One arrival at an endpoint; lists are in the order of arrival. */
export interface SequencedArrival {
  endpoint: string;
  aggregateId: string;
  sequence: number;
  deliveryId: string;
}

interface OrderVerdict {
  lines: number;
  /** `endpoint aggregate: 5 after 7`; a repeat of an earlier delivery does not count. */
  inversions: string[];
}

/** Events of one aggregate reach one endpoint in the order of their sequence. */
export function checkOrder(arrivals: readonly SequencedArrival[]): OrderVerdict {
  const highest = new Map<string, number>();
  const seen = new Set<string>();
  const inversions: string[] = [];
  for (const { endpoint, aggregateId, sequence, deliveryId } of arrivals) {
    const delivery = `${endpoint} ${deliveryId}`;
    if (seen.has(delivery)) continue;
    seen.add(delivery);
    const line = `${endpoint} ${aggregateId}`;
    const before = highest.get(line) ?? 0;
    if (sequence < before) inversions.push(`${line}: ${sequence} after ${before}`);
    highest.set(line, Math.max(before, sequence));
  }
  return { lines: highest.size, inversions };
}

/** One change of an order's status, as its event reports it. */
export interface StatusChange {
  orderId: string;
  sequence: number;
  oldStatus: string;
  newStatus: string;
}

interface ChainVerdict {
  orders: number;
  /** `order at 4: pending follows shipped`, or a gap in the sequence. */
  broken: string[];
}

/**
 * The changes of an order form a chain: each begins with the status that the previous one set, and the last one set the
 * stored status. A lost or doubled update breaks the chain.
 */
export function checkChain(
  changes: readonly StatusChange[],
  present: ReadonlyMap<string, string>,
  firstStatus: string,
): ChainVerdict {
  const byOrder = new Map<string, StatusChange[]>();
  for (const change of changes) byOrder.set(change.orderId, [...(byOrder.get(change.orderId) ?? []), change]);
  const broken: string[] = [];
  for (const [orderId, status] of present) {
    const chain = (byOrder.get(orderId) ?? []).sort((a, b) => a.sequence - b.sequence);
    let at = firstStatus;
    let sequence: number | null = null;
    for (const change of chain) {
      const where = `${orderId} at ${change.sequence}`;
      if (change.oldStatus !== at) broken.push(`${where}: ${change.oldStatus} follows ${at}`);
      if (sequence !== null && change.sequence !== sequence + 1) broken.push(`${where}: after ${sequence}`);
      at = change.newStatus;
      sequence = change.sequence;
    }
    if (at !== status) broken.push(`${orderId}: ends at ${at}, stands at ${status}`);
  }
  return { orders: present.size, broken };
}

interface LatencyVerdict {
  beforeMs: number;
  duringMs: number;
  ratio: number;
}

/**
 * Latency during a fault compared with latency before it, in one run. Below `floorMs` two values count as equal: they
 * differ by noise.
 */
export function compareLatencies(
  before: readonly number[],
  during: readonly number[],
  share: number,
  floorMs: number,
): LatencyVerdict {
  const beforeMs = percentile(before, share);
  const duringMs = percentile(during, share);
  return { beforeMs, duringMs, ratio: Math.max(duringMs, floorMs) / Math.max(beforeMs, floorMs) };
}

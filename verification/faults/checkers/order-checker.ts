/** One arrival at an endpoint; lists are in the order of arrival. */
export interface SequencedArrival {
  endpoint: string;
  aggregateId: string;
  sequence: number;
  deliveryId: string;
}

export interface OrderVerdict {
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

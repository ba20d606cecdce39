/** One change of an order's status, as its event reports it. */
export interface StatusChange {
  orderId: string;
  sequence: number;
  oldStatus: string;
  newStatus: string;
}

export interface ChainVerdict {
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

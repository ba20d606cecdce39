import type { OutboxEvent } from '@offizin/contracts/events';
import { groupBy } from './group-by';
import { eventOf, type OutboxRecord } from './outbox-looks';

/** It goes on for no longer: the relay must show itself to the database before its session counts as idle. */
const BUDGET_MS = 4_000;

export interface Published {
  /** Acknowledged by the broker. */
  published: OutboxRecord[];
  /** Of each object that had one, the first that was not. */
  failed: { row: OutboxRecord; error: unknown }[];
}

/**
 * Sends the events of one object one after the other, up to the first that is not acknowledged, and those of several
 * objects beside each other. Never rejects.
 */
export async function publishInOrder(
  rows: readonly OutboxRecord[],
  publish: (event: OutboxEvent) => Promise<void>,
): Promise<Published> {
  const result: Published = { published: [], failed: [] };
  const untilMs = performance.now() + BUDGET_MS;
  const publishChain = async (chain: readonly OutboxRecord[]): Promise<void> => {
    for (const [place, row] of chain.entries()) {
      if (place > 0 && performance.now() > untilMs) return;
      try {
        await publish(eventOf(row));
      } catch (error) {
        result.failed.push({ row, error });
        return;
      }
      result.published.push(row);
    }
  };
  await Promise.all([...groupBy(rows, (row) => row.aggregate_id).values()].map(publishChain));
  return result;
}

import { Refused } from '@offizin/contracts/errors';
import type { OutboxEvent } from '@offizin/contracts/events';
import { groupBy } from './group-by';
import { eventOf, type OutboxRecord } from './outbox-reader';

/** Shorter than the session timeout of the relay's connection, which is idle meanwhile. */
const BUDGET_MS = 4_000;

export interface Published {
  published: OutboxRecord[];
  failed: { row: OutboxRecord; error: unknown }[];
  refused: { row: OutboxRecord; error: Refused }[];
}

/**
 * One object's events in sequence, up to the first that is not acknowledged; objects in parallel. A refused event is
 * skipped. Never rejects.
 */
export async function publishInOrder(
  rows: readonly OutboxRecord[],
  publish: (event: OutboxEvent) => Promise<void>,
): Promise<Published> {
  const result: Published = { published: [], failed: [], refused: [] };
  const untilMs = performance.now() + BUDGET_MS;
  const publishChain = async (chain: readonly OutboxRecord[]): Promise<void> => {
    for (const [place, row] of chain.entries()) {
      if (place > 0 && performance.now() > untilMs) return;
      try {
        await publish(eventOf(row));
      } catch (error) {
        if (error instanceof Refused) {
          result.refused.push({ row, error });
          continue;
        }
        result.failed.push({ row, error });
        return;
      }
      result.published.push(row);
    }
  };
  await Promise.all([...groupBy(rows, (row) => row.aggregate_id).values()].map(publishChain));
  return result;
}

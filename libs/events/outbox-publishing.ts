import { Refused } from '@offizin/contracts/errors';
import type { OutboxEvent } from '@offizin/contracts/events';
import { groupBy } from './group-by';
import { eventOf, type OutboxRecord } from './outbox-reader';

/** It goes on for no longer: the relay must show itself to the database before its session counts as idle. */
const BUDGET_MS = 4_000;

export interface Published {
  /** Acknowledged by the broker. */
  published: OutboxRecord[];
  /** Of each object that had one, the first that was not. */
  failed: { row: OutboxRecord; error: unknown }[];
  /** Those that can never be published as they are. */
  refused: { row: OutboxRecord; error: Refused }[];
}

/**
 * Sends the events of one object one after the other, up to the first that is not acknowledged, and those of several
 * objects beside each other. A refused event holds up nothing: the relay sets it aside. Never rejects.
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

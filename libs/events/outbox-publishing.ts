import { Refused } from '@offizin/contracts/calls/errors';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { eventOf, type OutboxRecord } from './outbox-reader';

/** Shorter than the session timeout of the relay's connection, which is idle meanwhile. */
const BUDGET_MS = 4_000;

export interface Published {
  published: OutboxRecord[];
  failed: { row: OutboxRecord; error: unknown }[];
  refused: { row: OutboxRecord; error: Refused }[];
}

/** Far below the broker's limit; they bound a consumer's memory. */
export const MAX_EVENTS = 64;
export const MAX_CHARACTERS = 128 * 1024;

/**
 * One object's events in sequence, up to the first that is not acknowledged; objects in parallel. `publish` takes
 * consecutive events that may share a message. A refused event is skipped. Never rejects.
 */
export async function publishInOrder(
  rows: readonly OutboxRecord[],
  publish: (events: readonly OutboxEvent[]) => Promise<void>,
): Promise<Published> {
  const result: Published = { published: [], failed: [], refused: [] };
  const untilMs = performance.now() + BUDGET_MS;
  /** False if the later events of the object must wait. */
  const publishRun = async (run: readonly OutboxRecord[]): Promise<boolean> => {
    const [row] = run;
    if (!row) return true;
    try {
      await publish(run.map(eventOf));
    } catch (error) {
      if (error instanceof Refused && run.length > 1)
        return performance.now() <= untilMs && publishRuns(run.map((one) => [one]));
      if (error instanceof Refused) result.refused.push({ row, error });
      else result.failed.push({ row, error });
      return error instanceof Refused;
    }
    result.published.push(...run);
    return true;
  };
  const publishRuns = async (runs: readonly (readonly OutboxRecord[])[]): Promise<boolean> => {
    for (const [place, run] of runs.entries()) {
      if (place > 0 && performance.now() > untilMs) return false;
      if (!(await publishRun(run))) return false;
    }
    return true;
  };
  const objects = [...groupBy(rows, (row) => row.aggregate_id).values()];
  await Promise.all(objects.map((chain) => publishRuns(runsOf(chain))));
  return result;
}

/** Consecutive events of one topic, as many as fit a message. */
function runsOf(chain: readonly OutboxRecord[]): OutboxRecord[][] {
  const runs: OutboxRecord[][] = [];
  let run: OutboxRecord[] = [];
  let characters = 0;
  for (const row of chain) {
    characters += row.body.length;
    const fits = run.length < MAX_EVENTS && characters <= MAX_CHARACTERS;
    if (fits && run[0]?.topic === row.topic) {
      run.push(row);
    } else {
      runs.push((run = [row]));
      characters = row.body.length;
    }
  }
  return runs;
}

/** Rows keep their order within a key; keys are in order of first appearance. */
export function groupBy<T, K extends string>(rows: readonly T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

import type { Database, Sql } from '@offizin/pg/database';
import { clearDeltas, foldSums, lockSums, openDeltas } from './daily-sums';

/** Resolves with the number of folded deltas; 0 while another process is folding. */
export async function foldDailySums(database: Database, limit: number): Promise<number> {
  return database.transaction(async (tx) => {
    const [lock] = await tx.rows(lockSums);
    if (!lock?.acquired) return 0;
    return (await tx.rows(foldSums, limit))[0]?.folded ?? 0;
  });
}

export async function isWorthFolding(sql: Sql, from: number): Promise<boolean> {
  return ((await sql.rows(openDeltas, from))[0]?.open ?? 0) >= from;
}

/** Frees the space of folded deltas. */
export async function clearFolded(sql: Sql): Promise<void> {
  await sql.rows(clearDeltas);
}

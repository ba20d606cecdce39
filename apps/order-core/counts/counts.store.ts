import type { Sql } from '@offizin/pg/database';
import { clear, fold } from './counts';

/** Resolves with the number of folded deltas; 0 while another process is folding. */
export async function foldCounts(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(fold, limit))[0]?.folded ?? 0;
}

/** Frees the space of folded deltas. */
export async function clearFolded(sql: Sql): Promise<void> {
  await sql.rows(clear);
}

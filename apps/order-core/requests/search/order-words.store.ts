import { type Database, type Sql, statement } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';

/** Searches read each order without words until then. */
const PAUSE_MS = 250;
/** A change of one of these orders waits for the step, which takes 0.1 ms for each. */
const BATCH_ORDERS = 200;

const write = statement<{ written: number }, [number]>(
  'order_words_write',
  'SELECT core.write_order_words($1) AS written',
);

/** Resolves with the number of orders whose words were written. */
export async function writeOrderWords(sql: Sql, limit = BATCH_ORDERS): Promise<number> {
  return (await sql.rows(write, limit))[0]?.written ?? 0;
}

/** Writes the words of new and changed orders, in every replica. */
export function orderWordsWriting(database: Database): PeriodicWork {
  return new PeriodicWork('write words of orders', PAUSE_MS, async () => {
    while ((await writeOrderWords(database)) === BATCH_ORDERS);
  });
}

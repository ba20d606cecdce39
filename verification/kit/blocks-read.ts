import { type Database, type Sql, statement, valuesFor } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';

/** The blocks that each statement of `read` touches; unlike its time they do not depend on the machine. */
export async function blocksRead(
  database: Database,
  read: (sql: Sql) => Promise<unknown>,
): Promise<number[]> {
  const blocks: number[] = [];
  await read({
    rows: async (asked, ...params) => {
      const text = `EXPLAIN (ANALYZE, BUFFERS) ${asked.text}`;
      const explain = statement<{ 'QUERY PLAN': string }, unknown[]>(`plan ${newId()}`, text);
      const plan = (await database.rows(explain, ...valuesFor(asked, params))).map(
        (line) => line['QUERY PLAN'],
      );
      const first = plan.find((line) => line.includes('Buffers:')) ?? '';
      const counts = [...first.matchAll(/(?:hit|read)=(\d+)/g)].map(([, count]) => Number(count));
      blocks.push(counts.reduce((sum, count) => sum + count, 0));
      return database.rows(asked, ...params);
    },
  });
  return blocks;
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const HISTORY = 'core.order_history';
/** The table until then, and the beginning of the constraint's name, is this with a month: `…_2027_02`. */
const BEFORE = 'order_history_before';

/** First day of a month that begins in at least 31 days, and the smallest UUID v7 of it. UTC, as ids are. */
const END = `SELECT to_char(month, 'YYYY_MM') AS month,
    rpad(lpad(to_hex((extract(epoch FROM month AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0'), 32, '0')::uuid AS id
  FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC' + interval '31 days') + interval '1 month' AS month) ends`;

interface End {
  month: string;
  id: string;
}

/**
 * The history of orders by months of the order. No row is copied: the present table becomes the partition
 * of all orders until a month that begins in at least 31 days. Month partitions come from orders/history-months.ts.
 */
export class OrderHistoryMonths0022 implements MigrationInterface {
  readonly name = '0022';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const [end] = (await runner.query(END)) as End[];
    if (!end) throw new Error('the database returned no month');
    if (await isDone(runner)) return;
    // Ids are of version 7. With ids that only a test makes the table stays in one piece.
    if (await hasLaterIds(runner, end)) return;
    await checkEnd(runner, end);
    await runner.startTransaction();
    try {
      for (const sql of swap(end)) await runner.query(sql);
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0022 cannot be undone: restore a backup instead.'));
  }
}

/** An earlier attempt was killed between its commit and the note that it was made. */
async function isDone(runner: QueryRunner): Promise<boolean> {
  const [row] = (await runner.query(
    `SELECT relkind = 'p' AS done FROM pg_class WHERE oid = '${HISTORY}'::regclass`,
  )) as { done: boolean }[];
  return row?.done === true;
}

async function hasLaterIds(runner: QueryRunner, { id }: End): Promise<boolean> {
  const rows = (await runner.query(
    `SELECT 1 FROM ${HISTORY} WHERE order_id >= '${id}' LIMIT 1`,
  )) as unknown[];
  return rows.length > 0;
}

/**
 * Proves that all rows belong into the partition, so that attaching it reads none. The first statement locks for a moment;
 * the second reads the whole table, and callers read and write meanwhile. An earlier attempt of the same month counts.
 */
async function checkEnd(runner: QueryRunner, { month, id }: End): Promise<void> {
  const name = `${BEFORE}_${month}`;
  const found = (await runner.query(
    `SELECT conname AS name, convalidated AS valid FROM pg_constraint
     WHERE conrelid = '${HISTORY}'::regclass AND contype = 'c' AND starts_with(conname, '${BEFORE}_')`,
  )) as { name: string; valid: boolean }[];
  if (found.some((constraint) => constraint.name === name && constraint.valid)) return;
  const dropped = found.map((constraint) => `DROP CONSTRAINT ${constraint.name}, `).join('');
  await runner.query(
    `ALTER TABLE ${HISTORY} ${dropped}ADD CONSTRAINT ${name} CHECK (order_id < '${id}') NOT VALID`,
  );
  await runner.query(`ALTER TABLE ${HISTORY} VALIDATE CONSTRAINT ${name}`);
}

/** Changes names and catalogs only. */
function swap({ month, id }: End): string[] {
  const old = `${BEFORE}_${month}`;
  const email = `(fields ->> 'customer_email')`;
  return [
    `ALTER TABLE ${HISTORY} RENAME TO ${old}`,
    `ALTER TABLE core.${old} RENAME CONSTRAINT order_history_pkey TO ${old}_pkey`,
    `ALTER INDEX core.order_history_customer_email RENAME TO ${old}_customer_email`,
    `CREATE TABLE ${HISTORY} (LIKE core.${old} INCLUDING DEFAULTS) PARTITION BY RANGE (order_id)`,
    `ALTER TABLE ${HISTORY} ADD CONSTRAINT order_history_pkey PRIMARY KEY (order_id, sequence)`,
    // As 0001 has it, so that the index of the old table becomes its part.
    `CREATE INDEX order_history_customer_email ON ${HISTORY}
       ((translate(lower(${email}), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž'))) WHERE ${email} IS NOT NULL`,
    `ALTER TABLE ${HISTORY} ATTACH PARTITION core.${old} FOR VALUES FROM (MINVALUE) TO ('${id}')`,
    `ALTER TABLE core.${old} DROP CONSTRAINT ${old}`,
    // For what no month takes: an insert never fails.
    `CREATE TABLE ${HISTORY}_default PARTITION OF ${HISTORY} DEFAULT`,
  ];
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Daily sums for reports, first step (decision 0017): triggers append a delta for each change of an order, as for the
 * totals of lists (0001-counters.ts). Nothing reads the deltas before 0003.
 */
const DELTAS = [
  `CREATE TABLE core.daily_sum_deltas (
    position bigserial CONSTRAINT daily_sum_deltas_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    day date NOT NULL,
    status text NOT NULL,
    refunded boolean NOT NULL,
    customer bytea,
    orders integer NOT NULL,
    amount numeric NOT NULL
  ) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`,
  `CREATE INDEX daily_sum_deltas_org ON core.daily_sum_deltas (org_id)`,

  // The identity of a customer in reports.store.ts, as a hash: no second table holds e-mail addresses as text.
  `CREATE FUNCTION core.customer_key(email text, name text) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE RETURN
     substring(sha256(convert_to(coalesce('e:' || lower(nullif(btrim(email), '')),
       'n:' || translate(lower(nullif(btrim(name), '')), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž')), 'UTF8')) FROM 1 FOR 16)`,

  // Inserts and deletes: once per statement, for all its rows. The argument is the sign.
  `CREATE FUNCTION core.sum_orders() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.daily_sum_deltas (org_id, shop_id, day, status, refunded, customer, orders, amount)
     SELECT ${deltaOf('o')}, TG_ARGV[0]::integer, TG_ARGV[0]::integer * o.total_amount FROM changed o;
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION core.sum_changed_order() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.daily_sum_deltas (org_id, shop_id, day, status, refunded, customer, orders, amount)
     VALUES (${deltaOf('OLD')}, -1, -OLD.total_amount), (${deltaOf('NEW')}, 1, NEW.total_amount);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER daily_sums_insert AFTER INSERT ON core.orders REFERENCING NEW TABLE AS changed
   FOR EACH STATEMENT EXECUTE FUNCTION core.sum_orders('1')`,
  `CREATE TRIGGER daily_sums_delete AFTER DELETE ON core.orders REFERENCING OLD TABLE AS changed
   FOR EACH STATEMENT EXECUTE FUNCTION core.sum_orders('-1')`,
  `CREATE TRIGGER daily_sums_update AFTER UPDATE ON core.orders FOR EACH ROW
   WHEN ((${summedOf('OLD')}) IS DISTINCT FROM (${summedOf('NEW')}))
   EXECUTE FUNCTION core.sum_changed_order()`,
];

/** What an order adds to the sums, apart from its number and amount. A cancelled order has no customer. */
export function deltaOf(row: string): string {
  return `${row}.org_id, ${row}.shop_id, (${row}.created_at AT TIME ZONE 'Europe/Berlin')::date, ${row}.status,
            ${row}.payment_status = 'refunded',
            CASE WHEN ${row}.status <> 'cancelled' THEN core.customer_key(${row}.customer_email, ${row}.customer_name) END`;
}

function summedOf(row: string): string {
  const columns = [
    'org_id',
    'shop_id',
    'created_at',
    'status',
    'total_amount',
    'customer_email',
    'customer_name',
  ];
  return [...columns.map((column) => `${row}.${column}`), `${row}.payment_status = 'refunded'`].join(', ');
}

export class DailySumDeltas0002 implements MigrationInterface {
  readonly name = '0002';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of DELTAS) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0002 cannot be undone: restore a backup instead.'));
  }
}

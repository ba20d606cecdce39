import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counters behind the exact totals of the order list. Triggers write the deltas, so every writer of core.orders counts:
 * the version before, which runs beside this one during a roll-out, and a hand at psql, too. The trigger runs inside the
 * statement that changes the orders; that of an insert once per statement, however many orders it makes.
 */
export class OrderCounters1763745000000 implements MigrationInterface {
  name = 'OrderCounters1763745000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...TABLES, ...TRIGGERS]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER order_counts_insert ON core.orders`);
    await runner.query(`DROP TRIGGER order_counts_delete ON core.orders`);
    await runner.query(`DROP TRIGGER order_counts_update ON core.orders`);
    await runner.query(`DROP FUNCTION core.count_orders, core.count_moved_order`);
    await runner.query(`DROP TABLE core.order_counts, core.order_count_deltas`);
  }
}

/**
 * Counts the orders that were there before the triggers. A transaction of its own, after the triggers are there: one
 * snapshot shows orders and deltas as they belong together, so nobody has to be kept from writing meanwhile.
 */
export class FillOrderCounters1763745000001 implements MigrationInterface {
  name = 'FillOrderCounters1763745000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`INSERT INTO core.order_count_deltas (org_id, shop_id, status, day, amount)
      SELECT org_id, shop_id, status, day, sum(amount) FROM (
        SELECT org_id, shop_id, status, (created_at AT TIME ZONE 'UTC')::date AS day, 1 AS amount FROM core.orders
        UNION ALL SELECT org_id, shop_id, status, day, -amount FROM core.order_count_deltas
        UNION ALL SELECT org_id, shop_id, status, day, -amount FROM core.order_counts
          WHERE shop_id <> '${EVERY_SHOP}' AND status <> '' AND day <> '-infinity'
      ) uncounted GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0`);
  }

  /** The tables go with the migration before. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

const EVERY_SHOP = '00000000-0000-0000-0000-000000000000';

const TABLES = [
  `CREATE TABLE core.order_count_deltas (
    position bigserial CONSTRAINT order_count_deltas_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    status text NOT NULL,
    day date NOT NULL,
    amount integer NOT NULL
  )`,
  `CREATE INDEX order_count_deltas_org ON core.order_count_deltas (org_id)`,
  // Rows stay for a second: what is dead must not be walked through for a minute.
  `ALTER TABLE core.order_count_deltas SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`,
  `CREATE TABLE core.order_counts (
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    status text NOT NULL,
    day date NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT order_counts_pkey PRIMARY KEY (org_id, shop_id, status, day)
  ) WITH (fillfactor = 50)`,
];

const TRIGGERS = [
  `CREATE FUNCTION core.count_orders() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.order_count_deltas (org_id, shop_id, status, day, amount)
     SELECT org_id, shop_id, status, (created_at AT TIME ZONE 'UTC')::date, TG_ARGV[0]::integer * count(*)
     FROM changed GROUP BY 1, 2, 3, 4;
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION core.count_moved_order() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.order_count_deltas (org_id, shop_id, status, day, amount)
     VALUES (OLD.org_id, OLD.shop_id, OLD.status, (OLD.created_at AT TIME ZONE 'UTC')::date, -1),
            (NEW.org_id, NEW.shop_id, NEW.status, (NEW.created_at AT TIME ZONE 'UTC')::date, 1);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER order_counts_insert AFTER INSERT ON core.orders REFERENCING NEW TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION core.count_orders('1')`,
  `CREATE TRIGGER order_counts_delete AFTER DELETE ON core.orders REFERENCING OLD TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION core.count_orders('-1')`,
  // Per row and only for those that move: most updates change nothing that is counted, and then nothing runs.
  `CREATE TRIGGER order_counts_update AFTER UPDATE ON core.orders FOR EACH ROW
     WHEN ((OLD.org_id, OLD.shop_id, OLD.status, OLD.created_at)
           IS DISTINCT FROM (NEW.org_id, NEW.shop_id, NEW.status, NEW.created_at))
     EXECUTE FUNCTION core.count_moved_order()`,
];

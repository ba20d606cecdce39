/**
 * Counters for the exact totals of the order list (decision 0017). Triggers write the deltas, so that every writer of
 * core.orders counts: each version of a roll-out, and a statement in psql.
 */
export const ORDER_COUNTERS = [
  `CREATE TABLE core.order_count_deltas (
    position bigserial CONSTRAINT order_count_deltas_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    status text NOT NULL,
    day date NOT NULL,
    amount integer NOT NULL
  )`,
  // Rows live for about a second. A list walks past dead rows, so vacuum must follow their number, not the table's
  // size.
  `ALTER TABLE core.order_count_deltas SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`,
  `CREATE TABLE core.order_counts (
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    status text NOT NULL,
    day date NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT order_counts_pkey PRIMARY KEY (org_id, shop_id, status, day)
  ) WITH (fillfactor = 50)`,

  `CREATE INDEX order_count_deltas_org ON core.order_count_deltas (org_id)`,

  // Inserts and deletes: once per statement, for all its rows. The argument is the sign.
  `CREATE FUNCTION core.count_orders() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.order_count_deltas (org_id, shop_id, status, day, amount)
     SELECT org_id, shop_id, status, (created_at AT TIME ZONE 'UTC')::date, TG_ARGV[0]::integer * count(*)
     FROM changed GROUP BY 1, 2, 3, 4;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER order_counts_insert AFTER INSERT ON core.orders REFERENCING NEW TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION core.count_orders('1')`,
  `CREATE TRIGGER order_counts_delete AFTER DELETE ON core.orders REFERENCING OLD TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION core.count_orders('-1')`,

  // Updates: per row, and only for rows whose counted columns changed, because most updates change none.
  `CREATE FUNCTION core.count_moved_order() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.order_count_deltas (org_id, shop_id, status, day, amount)
     VALUES (OLD.org_id, OLD.shop_id, OLD.status, (OLD.created_at AT TIME ZONE 'UTC')::date, -1),
            (NEW.org_id, NEW.shop_id, NEW.status, (NEW.created_at AT TIME ZONE 'UTC')::date, 1);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER order_counts_update AFTER UPDATE ON core.orders FOR EACH ROW
     WHEN ((OLD.org_id, OLD.shop_id, OLD.status, OLD.created_at)
           IS DISTINCT FROM (NEW.org_id, NEW.shop_id, NEW.status, NEW.created_at))
     EXECUTE FUNCTION core.count_moved_order()`,
];

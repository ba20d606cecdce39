/**
 * Counters for the exact totals of lists (decision 0017). Triggers write the deltas, so that every writer counts: each
 * version of a roll-out, and a statement in psql.
 */

/** Each has the columns org_id, shop_id, status and created_at. */
const COUNTED_TABLES = ['orders', 'order_requests'] as const;

/** Call it after the tables are made. */
export const COUNTERS = [
  `CREATE TABLE core.row_count_deltas (
    position bigserial CONSTRAINT row_count_deltas_pkey PRIMARY KEY,
    counted text NOT NULL,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    status text NOT NULL,
    day date NOT NULL,
    amount integer NOT NULL
  )`,
  // Rows live for about a second. A list walks past dead rows, so vacuum must follow their number, not the table's
  // size.
  `ALTER TABLE core.row_count_deltas SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`,
  `CREATE TABLE core.row_counts (
    counted text NOT NULL,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    status text NOT NULL,
    day date NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT row_counts_pkey PRIMARY KEY (org_id, counted, shop_id, status, day)
  ) WITH (fillfactor = 50)`,

  `CREATE INDEX row_count_deltas_org ON core.row_count_deltas (org_id, counted)`,

  // Inserts and deletes: once per statement, for all its rows. The argument is the sign.
  `CREATE FUNCTION core.count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
     SELECT TG_TABLE_NAME, org_id, shop_id, status, (created_at AT TIME ZONE 'UTC')::date,
            TG_ARGV[0]::integer * count(*)
     FROM changed GROUP BY org_id, shop_id, status, (created_at AT TIME ZONE 'UTC')::date;
     RETURN NULL;
   END $$`,

  // Updates: per row, and only for rows whose counted columns changed, because most updates change none.
  `CREATE FUNCTION core.count_moved_row() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
     VALUES (TG_TABLE_NAME, OLD.org_id, OLD.shop_id, OLD.status, (OLD.created_at AT TIME ZONE 'UTC')::date, -1),
            (TG_TABLE_NAME, NEW.org_id, NEW.shop_id, NEW.status, (NEW.created_at AT TIME ZONE 'UTC')::date, 1);
     RETURN NULL;
   END $$`,
  ...COUNTED_TABLES.flatMap((table) => [
    `CREATE TRIGGER row_counts_insert AFTER INSERT ON core.${table} REFERENCING NEW TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION core.count_rows('1')`,
    `CREATE TRIGGER row_counts_delete AFTER DELETE ON core.${table} REFERENCING OLD TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION core.count_rows('-1')`,
    `CREATE TRIGGER row_counts_update AFTER UPDATE ON core.${table} FOR EACH ROW
     WHEN ((OLD.org_id, OLD.shop_id, OLD.status, OLD.created_at)
           IS DISTINCT FROM (NEW.org_id, NEW.shop_id, NEW.status, NEW.created_at))
     EXECUTE FUNCTION core.count_moved_row()`,
  ]),
];

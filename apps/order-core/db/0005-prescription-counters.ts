import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of a row that came in, as reports count it. */
const GERMAN_DAY = (column: string): string => `(${column} AT TIME ZONE 'Europe/Berlin')::date`;
const COLUMNS = 'counted, org_id, shop_id, status, day, amount';

/**
 * Counters of prescriptions for reports, in the tables of 0001-counters.ts: ingested ones, and order requests that have or
 * had a document. First step: triggers. Nothing reads these counters before 0006.
 */
const TRIGGERS = [
  `CREATE FUNCTION core.count_prescriptions() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.row_count_deltas (${COLUMNS})
     SELECT 'prescriptions', org_id, shop_id, 'ingested', ${GERMAN_DAY('created_at')}, TG_ARGV[0]::integer * count(*)
     FROM changed GROUP BY org_id, shop_id, ${GERMAN_DAY('created_at')};
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER row_counts_insert AFTER INSERT ON core.prescriptions REFERENCING NEW TABLE AS changed
   FOR EACH STATEMENT EXECUTE FUNCTION core.count_prescriptions('1')`,
  `CREATE TRIGGER row_counts_delete AFTER DELETE ON core.prescriptions REFERENCING OLD TABLE AS changed
   FOR EACH STATEMENT EXECUTE FUNCTION core.count_prescriptions('-1')`,

  // The first document of a request. Per row, because a table of new rows would hold a copy of each document. Of a
  // request, a statement inserts one document.
  `CREATE FUNCTION core.count_first_document() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.row_count_deltas (${COLUMNS})
     SELECT 'prescriptions', r.org_id, r.shop_id, 'order_request', ${GERMAN_DAY('r.created_at')}, 1
     FROM core.order_requests r
     WHERE r.id = NEW.order_request_id AND NOT r.document_erased
       AND NOT EXISTS (SELECT FROM core.documents d WHERE d.order_request_id = r.id AND d.id <> NEW.id);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER row_counts_insert AFTER INSERT ON core.documents
   FOR EACH ROW WHEN (NEW.order_request_id IS NOT NULL) EXECUTE FUNCTION core.count_first_document()`,
  // The last document. An erasure sets document_erased: its request stays counted.
  `CREATE FUNCTION core.count_last_document() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.row_count_deltas (${COLUMNS})
     SELECT 'prescriptions', r.org_id, r.shop_id, 'order_request', ${GERMAN_DAY('r.created_at')}, -1
     FROM core.order_requests r
     WHERE r.id IN (SELECT order_request_id FROM changed) AND NOT r.document_erased
       AND NOT EXISTS (SELECT FROM core.documents d WHERE d.order_request_id = r.id);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER row_counts_delete AFTER DELETE ON core.documents REFERENCING OLD TABLE AS changed
   FOR EACH STATEMENT EXECUTE FUNCTION core.count_last_document()`,
];

export class PrescriptionCounters0005 implements MigrationInterface {
  readonly name = '0005';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of TRIGGERS) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0005 cannot be undone: restore a backup instead.'));
  }
}

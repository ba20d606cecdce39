import type { MigrationInterface, QueryRunner } from 'typeorm';

const GERMAN_DAY = (row: string): string => `(${row}.created_at AT TIME ZONE 'Europe/Berlin')::date`;
const COLUMNS = 'counted, org_id, shop_id, status, day, amount';
const COUNTED = ['org_id', 'shop_id', 'status', 'created_at'];
const DECIDED = ['org_id', 'shop_id', 'created_at', 'status', 'reason'];

export const DECISION = 'org_id, submitted_at, order_request_id, shop_id, hour_of_week, seconds, reason';

/** Of both versions of a row. */
function differ(columns: readonly string[]): string {
  const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
  return `(${of('OLD')}) IS DISTINCT FROM (${of('NEW')})`;
}

/**
 * Order requests for reports (decision 0017): their number by German day and status, in the tables of
 * 0001-counters.ts, and how long each decision took. First step: triggers. Nothing reads either before 0013.
 */
const OUTCOMES = [
  `CREATE FUNCTION core.count_request_days() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.row_count_deltas (${COLUMNS})
     SELECT 'request_days', c.org_id, c.shop_id, c.status, ${GERMAN_DAY('c')}, TG_ARGV[0]::integer * count(*)
     FROM changed c GROUP BY c.org_id, c.shop_id, c.status, ${GERMAN_DAY('c')};
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION core.count_moved_request() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.row_count_deltas (${COLUMNS})
     VALUES ('request_days', OLD.org_id, OLD.shop_id, OLD.status, ${GERMAN_DAY('OLD')}, -1),
            ('request_days', NEW.org_id, NEW.shop_id, NEW.status, ${GERMAN_DAY('NEW')}, 1);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER request_days_insert AFTER INSERT ON core.order_requests REFERENCING NEW TABLE AS changed
   FOR EACH STATEMENT EXECUTE FUNCTION core.count_request_days('1')`,
  `CREATE TRIGGER request_days_delete AFTER DELETE ON core.order_requests REFERENCING OLD TABLE AS changed
   FOR EACH STATEMENT EXECUTE FUNCTION core.count_request_days('-1')`,
  `CREATE TRIGGER request_days_update AFTER UPDATE ON core.order_requests FOR EACH ROW WHEN (${differ(COUNTED)})
   EXECUTE FUNCTION core.count_moved_request()`,

  `CREATE TABLE core.request_decisions (
    org_id uuid NOT NULL,
    submitted_at timestamptz NOT NULL,
    order_request_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    hour_of_week smallint NOT NULL,
    seconds integer NOT NULL,
    reason text,
    CONSTRAINT request_decisions_pkey PRIMARY KEY (org_id, submitted_at, order_request_id)
  )`,
  // The statement that decides sets updated_at to the moment of the decision, an import to the one in the past.
  `CREATE FUNCTION core.keep_request_decision() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP <> 'INSERT' AND OLD.status IN ('approved', 'rejected') THEN
       DELETE FROM core.request_decisions d
       WHERE (d.org_id, d.submitted_at, d.order_request_id) = (OLD.org_id, OLD.created_at, OLD.id);
     END IF;
     IF TG_OP <> 'DELETE' AND NEW.status IN ('approved', 'rejected') THEN
       INSERT INTO core.request_decisions (${DECISION})
       VALUES (${decisionOf('NEW')});
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER request_decision_insert AFTER INSERT ON core.order_requests FOR EACH ROW
   WHEN (NEW.status IN ('approved', 'rejected')) EXECUTE FUNCTION core.keep_request_decision()`,
  `CREATE TRIGGER request_decision_update AFTER UPDATE ON core.order_requests FOR EACH ROW
   WHEN (${differ(DECIDED)} AND (OLD.status IN ('approved', 'rejected') OR NEW.status IN ('approved', 'rejected')))
   EXECUTE FUNCTION core.keep_request_decision()`,
  `CREATE TRIGGER request_decision_delete AFTER DELETE ON core.order_requests FOR EACH ROW
   WHEN (OLD.status IN ('approved', 'rejected')) EXECUTE FUNCTION core.keep_request_decision()`,
];

/** The values of DECISION. Hours of the week count from Monday's first in Germany, seconds up to the last change. */
export function decisionOf(row: string): string {
  const at = `${row}.created_at AT TIME ZONE 'Europe/Berlin'`;
  return `${row}.org_id, ${row}.created_at, ${row}.id, ${row}.shop_id,
         24 * (extract(isodow FROM ${at}) - 1) + extract(hour FROM ${at}),
         greatest(0, extract(epoch FROM ${row}.updated_at - ${row}.created_at)), ${row}.reason`;
}

export class RequestOutcomes0012 implements MigrationInterface {
  readonly name = '0012';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of OUTCOMES) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0012 cannot be undone: restore a backup instead.'));
  }
}

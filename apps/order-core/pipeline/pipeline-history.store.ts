import type { PipelineHistoryEntry } from '@offizin/contracts/pipeline';
import { type Sql, statement } from '@offizin/pg/database';
import { statusSince } from './status-since';

/** What happened to one order, for people: with names, and without the lines, which may be long. */

const MAX_ENTRIES = 100;
const MAX_VALUE = 200;

/** Text of a jsonb value; null for lines and for what is too long to show. */
const textOf = (value: string): string =>
  `CASE WHEN jsonb_typeof(${value}) IN ('array', 'object') OR length(${value} #>> '{}') > ${MAX_VALUE} THEN NULL
        ELSE ${value} #>> '{}' END`;

/**
 * A stored entry holds the new values. The old value of a field is the one that an earlier entry set; before the oldest
 * entry that is read, it counts as empty.
 */
const history = statement<PipelineHistoryEntry, [string, string, number]>(
  'pipeline_history',
  `WITH entries AS MATERIALIZED (
     SELECT h.sequence, h.at, h.actor, h.action, h.fields FROM core.order_history h
     WHERE h.order_id = $2::uuid ORDER BY h.sequence DESC LIMIT $3
   ), fields AS (
     SELECT e.sequence, f.field, f.value, lag(f.value) OVER (PARTITION BY f.field ORDER BY e.sequence) AS old
     FROM entries e, LATERAL jsonb_each(e.fields) AS f (field, value) WHERE f.field <> 'total_is_given'
   ), changes AS (
     SELECT sequence, jsonb_agg(jsonb_build_object('field', field, 'old', ${textOf('old')}, 'new', ${textOf('value')})
              ORDER BY field) AS changes
     FROM fields WHERE value IS DISTINCT FROM coalesce(old, 'null') GROUP BY sequence
   )
   SELECT e.sequence, core.iso(e.at) AS at, e.action, coalesce(person.name, key.name, e.actor) AS who,
          coalesce(c.changes, '[]') AS changes
   FROM entries e LEFT JOIN changes c USING (sequence)
     LEFT JOIN core.staff person ON person.org_id = $1::uuid AND person.id::text = e.actor
     LEFT JOIN core.api_keys key ON key.org_id = $1::uuid AND key.id::text = e.actor
   ORDER BY e.sequence DESC`,
);
const since = statement<{ at: string }, [string, string]>(
  'pipeline_status_since',
  `SELECT core.iso(${statusSince('o')}) AS at FROM core.orders o WHERE o.org_id = $1 AND o.id = $2`,
);

/** The newest entries, newest first. */
export async function pipelineHistory(
  sql: Sql,
  orgId: string,
  orderId: string,
): Promise<PipelineHistoryEntry[]> {
  return sql.rows(history, orgId, orderId, MAX_ENTRIES);
}

export async function orderStatusSince(sql: Sql, orgId: string, orderId: string): Promise<string | null> {
  return (await sql.rows(since, orgId, orderId))[0]?.at ?? null;
}

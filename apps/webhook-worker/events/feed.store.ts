import { EVENT_RETENTION_DAYS } from '@offizin/contracts/webhooks';
import { type Sql, statement } from '@offizin/pg/database';

/** A page ends early so that it fits into a bus message. */
const MAX_PAGE_BYTES = 900_000;

const positionSql = statement<{ position: string }, [string, string]>(
  'feed_position',
  `SELECT position FROM webhooks.events
   WHERE org_id = $1 AND id = $2 AND created_at > now() - make_interval(days => ${EVENT_RETENTION_DAYS})`,
);

/** Position of an event in the feed; null if the organization has no such event within the retention time. */
export async function feedPosition(sql: Sql, orgId: string, eventId: string): Promise<string | null> {
  return (await sql.rows(positionSql, orgId, eventId))[0]?.position ?? null;
}

const pageSql = statement<
  { id: string; body: string; found: number },
  [string, string, string | null, number]
>(
  'feed_page',
  `SELECT id, body, found FROM (
     SELECT id, body, position, sum(octet_length(body)) OVER (ORDER BY position) AS bytes,
       row_number() OVER (ORDER BY position) AS place, count(*) OVER ()::int AS found
     FROM (
       SELECT id, body, position FROM webhooks.events
       WHERE org_id = $1 AND position > $2 AND ($3::text IS NULL OR event_type = $3)
         AND (event_type <> 'webhook_test' OR body::jsonb ->> 'event_type' = 'webhook_test')
         AND created_at > now() - make_interval(days => ${EVENT_RETENTION_DAYS})
       ORDER BY position LIMIT $4) following
   ) page
   WHERE (bytes <= ${MAX_PAGE_BYTES} OR place = 1) AND place < $4
   ORDER BY position`,
);

/** At most `limit` events after a position, in order of arrival; `more`: further events follow. */
export async function feedPage(
  sql: Sql,
  orgId: string,
  after: string,
  eventType: string | null,
  limit: number,
): Promise<{ events: { id: string; body: string }[]; more: boolean }> {
  // One extra row shows whether more events follow.
  const events = await sql.rows(pageSql, orgId, after, eventType, limit + 1);
  return { events, more: (events[0]?.found ?? 0) > events.length };
}

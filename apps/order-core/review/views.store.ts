import { type Sql, statement } from '@offizin/pg/database';

/** Each session's last audited look at a prescription. */

const MINUTES = 15;
/** Bounds the work of one look; each look that is noted removes as many as it can. */
const CLEARED_ROWS = 100;

/** Concurrent looks of one session wait here for the first. */
const note = statement<{ viewed_at: Date }, [string, string]>(
  'review_view_note',
  `INSERT INTO core.review_views AS v (session_id, order_request_id) VALUES ($1, $2)
   ON CONFLICT ON CONSTRAINT review_views_pkey DO UPDATE SET viewed_at = now()
     WHERE v.viewed_at < now() - interval '${MINUTES} minutes'
   RETURNING viewed_at`,
);
const clear = statement<never, []>(
  'review_views_clear',
  `DELETE FROM core.review_views WHERE (session_id, order_request_id) IN (
     SELECT session_id, order_request_id FROM core.review_views
     WHERE viewed_at < now() - interval '${MINUTES} minutes'
     ORDER BY viewed_at LIMIT ${CLEARED_ROWS} FOR UPDATE SKIP LOCKED)`,
);

/** False when the session has looked at it within the last 15 minutes. */
export async function isNewView(
  tx: Sql,
  { sessionId, requestId }: { sessionId: string; requestId: string },
): Promise<boolean> {
  const isNew = (await tx.rows(note, sessionId, requestId)).length === 1;
  if (isNew) await tx.rows(clear);
  return isNew;
}

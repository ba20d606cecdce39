import { type Sql, statement } from '@offizin/pg/database';

/** Every table of an organization that may hold a customer in plain text. */
const everything = statement<{ text: string }, [string]>(
  'spec_everything',
  `SELECT concat_ws(' ',
     (SELECT json_agg(o) FROM core.orders o WHERE org_id = $1), (SELECT json_agg(r) FROM core.order_requests r WHERE org_id = $1),
     (SELECT json_agg(h) FROM core.order_history h JOIN core.orders o ON o.id = h.order_id WHERE o.org_id = $1),
     (SELECT json_agg(v) FROM core.order_request_versions v WHERE org_id = $1), (SELECT json_agg(d) FROM core.documents d WHERE org_id = $1),
     (SELECT json_agg(p) FROM core.prescriptions p WHERE org_id = $1), (SELECT json_agg(e) FROM core.erasures e WHERE org_id = $1),
     (SELECT json_agg(w) FROM core.order_words w WHERE org_id = $1),
     (SELECT json_agg(w) FROM core.order_request_words w JOIN core.order_requests USING (id) WHERE org_id = $1),
     (SELECT json_agg(x) FROM core.outbox x WHERE org_id = $1), (SELECT json_agg(a) FROM core.audit_log a WHERE org_id = $1)) AS text`,
);

export async function storedText(sql: Sql, orgId: string): Promise<string> {
  return (await sql.rows(everything, orgId))[0]?.text ?? '';
}

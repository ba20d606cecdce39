import { type Sql, statement } from '@offizin/pg/database';
import { folded } from '@offizin/pg/list-page';
import { emailHash } from '../crypto/keyed-hash';

/**
 * Finds the e-mails behind keyed hashes: a finished erasure holds only the hash, but orders hold e-mails in plain
 * text. Walks the distinct e-mails of the organization's orders and of all history, in steps along their indexes.
 */
const STEP_ROWS = 2_000;

const ofOrders = statement<{ email: string }, [string, string, number]>(
  'erasure_order_emails',
  `SELECT DISTINCT ${folded('customer_email')} AS email FROM core.orders
   WHERE org_id = $1 AND customer_email IS NOT NULL AND ${folded('customer_email')} > $2
   ORDER BY email LIMIT $3`,
);
const EMAIL_IN_HISTORY = folded("(h.fields ->> 'customer_email')");
/** In the order of the index, which does not contain the organization. */
const ofHistory = statement<{ email: string; is_own: boolean }, [string, string, number]>(
  'erasure_history_emails',
  `SELECT email, bool_or(org_id = $1) AS is_own FROM (
     SELECT ${EMAIL_IN_HISTORY} AS email, o.org_id FROM core.order_history h JOIN core.orders o ON o.id = h.order_id
     WHERE h.fields ->> 'customer_email' IS NOT NULL AND ${EMAIL_IN_HISTORY} > $2
   ) AS found GROUP BY email ORDER BY email LIMIT $3`,
);

/** E-mails by hash in hexadecimal; hashes without a match are missing. */
export async function emailsByHash(
  sql: Sql,
  orgId: string,
  key: Buffer,
  hashes: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (hashes.size === 0) return found;
  const note = (email: string): void => {
    const hash = emailHash(key, email).toString('hex');
    if (hashes.has(hash)) found.set(hash, email);
  };
  await walk(async (after) => {
    const rows = await sql.rows(ofOrders, orgId, after, STEP_ROWS);
    for (const { email } of rows) note(email);
    return rows.at(-1)?.email;
  });
  await walk(async (after) => {
    const rows = await sql.rows(ofHistory, orgId, after, STEP_ROWS);
    for (const { email, is_own } of rows) if (is_own) note(email);
    return rows.at(-1)?.email;
  });
  return found;
}

/** Each step starts after the last text of the previous step; the walk ends when a step finds nothing. */
async function walk(step: (after: string) => Promise<string | undefined>): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) after = await step(after);
}

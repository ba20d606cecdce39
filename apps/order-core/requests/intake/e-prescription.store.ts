import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import { type Sql, statement } from '@offizin/pg/database';
import { decrypt, encrypt } from '../../crypto/encryption';

/**
 * The token of an e-prescription opens it for anyone, so it is encrypted apart from the payload, which holds the task id
 * only. A new version replaces it: the code of the version before has no use.
 */

const find = statement<{ token: Buffer | null }, [string, string]>(
  'order_request_e_prescription',
  `SELECT e_prescription_ciphertext AS token FROM core.order_requests WHERE org_id = $1 AND id = $2`,
);

export function encryptToken(key: Buffer, token: EPrescription, requestId: string): Buffer {
  return encrypt(key, Buffer.from(JSON.stringify(token)), rowId(requestId));
}

/** Null also for a request of another organization. */
export async function findToken(
  sql: Sql,
  key: Buffer,
  orgId: string,
  requestId: string,
): Promise<EPrescription | null> {
  const [row] = await sql.rows(find, orgId, requestId);
  if (!row?.token) return null;
  const token = JSON.parse(decrypt(key, row.token, rowId(requestId)).toString()) as EPrescription;
  return { task_id: token.task_id, access_code: token.access_code };
}

function rowId(requestId: string): string {
  return `${requestId}:e-prescription`;
}

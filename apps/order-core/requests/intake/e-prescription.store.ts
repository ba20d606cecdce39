import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, ok } from '@offizin/contracts/calls/operation';
import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import { type Database, statement } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { versionObject } from '../../audit/read-objects';
import { liveTransaction } from '../../callers/live-caller.store';
import { decrypt, encrypt } from '../../crypto/encryption';
import type { OrderRequestEntity, PrescriptionEntity } from '../../db/request-entities';

/**
 * The token of an e-prescription opens it for anyone, so it is encrypted apart from the payload, which holds the task id
 * only. A new version replaces it: the code of the version before has no use.
 */

interface OfRequest {
  token: OrderRequestEntity['e_prescription_ciphertext'];
  version: OrderRequestEntity['version'];
}
interface OfPrescription {
  token: PrescriptionEntity['e_prescription_ciphertext'];
  version: PrescriptionEntity['sequence'];
}
const finding = {
  'order-request': statement<OfRequest, [string, string]>(
    'order_request_e_prescription',
    `SELECT e_prescription_ciphertext AS token, version FROM core.order_requests WHERE org_id = $1 AND id = $2`,
  ),
  prescription: statement<OfPrescription, [string, string]>(
    'prescription_e_prescription',
    `SELECT e_prescription_ciphertext AS token, sequence AS version FROM core.prescriptions WHERE org_id = $1 AND id = $2`,
  ),
};

export function encryptToken(key: Buffer, token: EPrescription, id: string): Buffer {
  return encrypt(key, Buffer.from(JSON.stringify(token)), rowId(id));
}

/** One look, with its audit entry. Throws `Refused` (not_found) also for an object of another organization. */
export async function lookAtToken(
  database: Database,
  key: Buffer,
  caller: Caller,
  { kind, id }: { kind: keyof typeof finding; id: string },
): Promise<Answer<EPrescription>> {
  const { orgId } = caller;
  return liveTransaction(database, caller, async (tx) => {
    const [row] = isId(id) ? await tx.rows(finding[kind], orgId, id) : [];
    if (!row?.token) throw notFound('e-prescription');
    await appendAudit(tx, caller, 'e-prescription.view', versionObject(`${kind}:${id}`, row.version));
    const token = JSON.parse(decrypt(key, row.token, rowId(id)).toString()) as EPrescription;
    return ok({ task_id: token.task_id, access_code: token.access_code }, { 'cache-control': 'no-store' });
  });
}

function rowId(id: string): string {
  return `${id}:e-prescription`;
}

import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type KeyRun, ok } from '@offizin/contracts/calls/operation';
import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import { answersAbout, storeAnswer } from '@offizin/idempotency/stored-answer';
import type { Database, Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { liveTransaction } from '../../callers/live-caller.store';
import type { DataKeys } from '../../crypto/data-keys.store';
import { findRequest, lockRequest, type OrderRequestRow } from '../intake/order-requests.store';
import { requestDetail } from './request-detail.store';

/**
 * Staff changes the locked request, and reads it as it is then. `work` returns the action of the audit entry, or null
 * when nothing changed.
 */
export async function changeRequest(
  { database, dataKeys }: { database: Database; dataKeys: DataKeys },
  { caller, requestId, keyRun }: { caller: Caller; requestId: string; keyRun: KeyRun | undefined },
  work: (tx: Sql, before: OrderRequestRow) => Promise<string | null>,
): Promise<Answer<OrderRequestDetail>> {
  const { orgId } = caller;
  if (!isId(requestId)) throw notFound('order request');
  // Loads the key into memory first: the transaction must not wait for a second connection.
  await dataKeys.keyOf(orgId);
  const detail = async (tx: Sql, row: OrderRequestRow) => ok(await requestDetail(tx, dataKeys, row));
  return liveTransaction(database, caller, async (tx) => {
    const before = await lockRequest(tx, orgId, requestId);
    if (!before) throw notFound('order request');
    answersAbout(keyRun, before);
    const action = await work(tx, before);
    if (action === null) return detail(tx, before);
    await appendAudit(tx, caller, action, `order-request:${requestId}`);
    const changed = (await findRequest(tx, orgId, requestId)) ?? before;
    return storeAnswer(tx, keyRun, await detail(tx, changed));
  });
}

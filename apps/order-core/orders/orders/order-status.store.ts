import type { OrderStatusPatchBody } from '@offizin/contracts/orders/orders';
import type { Sql } from '@offizin/pg/database';
import type { AuditActor } from '../../audit/audit.store';
import type { Credential } from '../../callers/live-caller.store';
import { DEFAULT_WORKFLOW } from './order-status';
import { patchStatus, type StatusOutcome } from './sql/status-patch';
import type { HeldStock } from '../stock/stock-lines';

export interface StatusPatch {
  orgId: string;
  orderId: string;
  patch: OrderStatusPatchBody;
  actor: string;
  credential: Credential;
  /** Allowed versions of the order (If-Match); null: any. */
  ifSequences: readonly number[] | null;
  eventId: string;
  audit: AuditActor;
  /** Ignore the workflow; the history records a reopening. */
  reopen: boolean;
  /** The caller's. */
  traceparent: string | null;
  /** Of an order that takes stock again: its claim, null where it holds no lines, and what it holds then. */
  claim?: { id: string | null; stock: HeldStock };
}

/** One outcome per patch, in their order; null for an unknown order or a caller that is not live. */
export async function patchStatuses(
  sql: Sql,
  patches: readonly StatusPatch[],
): Promise<(StatusOutcome | null)[]> {
  const members = patches.map(
    ({ orgId, orderId, credential, ifSequences, eventId, audit, ...rest }, member) => ({
      member,
      ...rest,
      org_id: orgId,
      id: orderId,
      key_id: credential.keyId,
      session_id: credential.sessionId,
      if_sequences: ifSequences,
      event_id: eventId,
      audit_actor: audit.actor,
      request_id: audit.requestId,
    }),
  );
  const rows = await sql.rows(patchStatus, JSON.stringify(members));
  const outcomes = new Map(
    rows.map((row) => [row.member, { ...row, workflow: row.workflow ?? DEFAULT_WORKFLOW }]),
  );
  return patches.map((_, member) => outcomes.get(member) ?? null);
}

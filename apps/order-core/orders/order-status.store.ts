import type { OrderStatus, OrderStatusPatchBody } from '@offizin/contracts/orders';
import type { Sql } from '@offizin/pg/database';
import type { AuditActor } from '../audit/audit.store';
import type { Credential } from '../directory/live-caller.store';
import { DEFAULT_WORKFLOW, type Workflow } from './order-status';
import { patchStatus } from './sql/status-patch';

/** `status`, `sequence` and `updated_at` are null when nothing changed or the move is not allowed. */
export interface StatusOutcome {
  old_status: OrderStatus;
  /** Before the change; compared with If-Match. */
  old_sequence: number;
  old_updated_at: Date;
  status: OrderStatus | null;
  sequence: number | null;
  updated_at: Date | null;
  allowed: boolean;
  /** The workflow that decided. */
  workflow: Workflow;
}

export type StatusRow = Omit<StatusOutcome, 'workflow'> & {
  member: number;
  /** Null: the default workflow. */
  workflow: Workflow | null;
};

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

import type { OrderStatus, OrderStatusPatchBody } from '@offizin/contracts/orders';
import type { Sql } from '@offizin/pg/database';
import type { AuditActor } from '../audit/audit.store';
import { DEFAULT_WORKFLOW, type Workflow } from './order-status';
import { patchStatus } from './sql/status-patch';

/** What a status patch came to; `status`, `sequence` and `updated_at` are null when nothing changed or the move was not allowed. */
export interface StatusOutcome {
  old_status: OrderStatus;
  /** The row's version before; compared with If-Match. */
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
  /** The organization's own; null is the default. */
  workflow: Workflow | null;
};

export interface StatusPatch {
  orgId: string;
  orderId: string;
  patch: OrderStatusPatchBody;
  actor: string;
  keyId: string | null;
  /** The order must be of one of these versions; null when any will do. */
  ifSequences: readonly number[] | null;
  eventId: string;
  audit: AuditActor;
  /** Move it even against the workflow; written to the history as a reopening. */
  reopen: boolean;
  /** Of the caller; a batch serves many. */
  traceparent: string | null;
}

/** The outcome of each, in the order given: null when there is no such order, or the key is not live any more. */
export async function patchStatuses(
  sql: Sql,
  patches: readonly StatusPatch[],
): Promise<(StatusOutcome | null)[]> {
  const members = patches.map(({ orgId, orderId, keyId, ifSequences, eventId, audit, ...rest }, member) => ({
    ...{
      member,
      ...rest,
      org_id: orgId,
      id: orderId,
      key_id: keyId,
      if_sequences: ifSequences,
      event_id: eventId,
    },
    ...{ audit_actor: audit.actor, request_id: audit.requestId },
  }));
  const rows = await sql.rows(patchStatus, JSON.stringify(members));
  const outcomes = new Map(
    rows.map((row) => [row.member, { ...row, workflow: row.workflow ?? DEFAULT_WORKFLOW }]),
  );
  return patches.map((_, member) => outcomes.get(member) ?? null);
}

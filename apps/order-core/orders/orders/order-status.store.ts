import type { OrderStatusPatchBody } from '@offizin/contracts/orders/orders';
import { type Sql, sqlFile, statement } from '@offizin/pg/database';
import type { OuterJoined } from '@offizin/pg/queries';
import type { AuditActor } from '../../audit/audit.store';
import type { Credential } from '../../callers/live-caller.store';
import type { OrderEntity } from '../../db/entities';
import { DEFAULT_WORKFLOW, type Workflow } from './order-status';
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

type WrittenColumns = OuterJoined<Pick<OrderEntity, 'status' | 'sequence' | 'updated_at'>>;

/** `status`, `sequence` and `updated_at` are null when nothing changed or the move is not allowed. */
export interface StatusOutcome extends WrittenColumns {
  old_status: OrderEntity['status'];
  /** Before the change; compared with If-Match. */
  old_sequence: OrderEntity['sequence'];
  old_updated_at: OrderEntity['updated_at'];
  allowed: boolean;
  /** The move takes stock again, so nothing is written without a claim (stock-claimed-orders.ts). */
  lacks_claim: boolean;
  /** The workflow that decided. */
  workflow: Workflow;
}

type StatusRow = Omit<StatusOutcome, 'workflow'> & {
  member: number;
  /** Null: the default workflow. */
  workflow: Workflow | null;
};

const patchStatus = statement<StatusRow, [patches: string, defaultWorkflow: string]>(
  'order_patch_status',
  sqlFile(__dirname, 'sql/status-patch.sql'),
);
const DEFAULT_TEXT = JSON.stringify(DEFAULT_WORKFLOW);

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
  const rows = await sql.rows(patchStatus, JSON.stringify(members), DEFAULT_TEXT);
  const outcomes = new Map(
    rows.map((row) => [row.member, { ...row, workflow: row.workflow ?? DEFAULT_WORKFLOW }]),
  );
  return patches.map((_, member) => outcomes.get(member) ?? null);
}

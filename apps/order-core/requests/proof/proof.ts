import { testMark } from '@offizin/contracts/calls/test-mark';
import type { Answer } from '@offizin/contracts/requests/answer-changes';
import {
  MAX_PROOF_ENTRIES,
  PROOF_FORMAT,
  type ProofAudit,
  type ProofDecision,
  type ProofDocument,
  type ProofEntry,
  type ProofOrder,
  type RequestProof,
} from '@offizin/contracts/requests/request-proof';
import type { ReviewOverride } from '@offizin/contracts/requests/review';
import { KEPT_MARKS } from '@offizin/contracts/requests/review-settings';
import type { StoredDocument } from '../../documents/documents/documents.store';
import type { OrderRequestRow } from '../intake/order-requests.store';
import { lotsAsRead } from '../../orders/orders/order-lots';
import { DECIDING_ACTIONS, LOOK } from '../review/decision';
import type { AuditedAct, ProvenMarks, ProvenOrder, ProvenVersion } from './proof.store';

/** The content of a proof, from the rows. Pure. Of what staff and partners wrote, only codes and numbers go into it. */

export interface ProvenRows {
  request: OrderRequestRow;
  versions: readonly ProvenVersion[];
  documents: readonly StoredDocument[];
  marks: readonly ProvenMarks[];
  acts: readonly AuditedAct[];
  order: ProvenOrder | null;
  /** Null where nothing was approved, and after an erasure. */
  answer: Answer | null;
  override: ReviewOverride | null;
  firstOverride: ReviewOverride | null;
  /** The last seal. */
  head: { position: string; seal: string };
}

/** The entry of the decision; null for one that was imported. */
export function decisiveAct(requestId: string, acts: readonly AuditedAct[]): AuditedAct | null {
  const object = `order-request:${requestId}`;
  return acts.filter((act) => act.object === object && DECIDING_ACTIONS.includes(act.action)).at(-1) ?? null;
}

/** Without its signature. */
export function proofOf(
  rows: ProvenRows,
  issued: { at: string; to: string },
): Omit<RequestProof, 'signature'> {
  const { request, versions, documents, marks, order } = rows;
  const { id, org_id, shop_id, status, reason, erased_at: erasedAt, is_test: isTest } = request;
  return {
    format: PROOF_FORMAT,
    issued_at: issued.at,
    issued_to: issued.to,
    org_id,
    shop_id,
    request: {
      id,
      status,
      reason,
      created_at: request.created_at.toISOString(),
      erased_at: erasedAt?.toISOString() ?? null,
      ...testMark(isTest),
    },
    versions: versions.map(({ number, created_at, asked, issued_on, document_kind }) => ({
      number,
      received_at: created_at.toISOString(),
      asked,
      issued_on,
      document_kind,
    })),
    documents: documents.map(provenDocument),
    marks: marks.map((row) => ({
      version: row.version,
      by: row.marked_by,
      at: row.changed_at.toISOString(),
      marks: KEPT_MARKS.filter((mark) => row[mark]),
    })),
    decision: decisionOf(rows),
    order: order && provenOrder(order),
    audit: auditOf(rows),
  };
}

/** Its name is its sender's text. */
function provenDocument(document: StoredDocument): ProofDocument {
  const { number, kind, version, size_bytes, pages, pdf_sha256: sha256, is_replaced: replaced } = document;
  const received_at = document.handed_in_at.toISOString();
  return { number, kind, version, sha256, size_bytes, pages, received_at, replaced };
}

function decisionOf({ request, acts, answer, override, firstOverride }: ProvenRows): ProofDecision {
  const act = decisiveAct(request.id, acts);
  const { status, first_approved_by: firstBy, first_approved_at: firstAt } = request;
  const isSecond = status === 'approved' && firstBy !== null && firstAt !== null;
  return {
    by: act?.actor ?? null,
    at: act?.at ?? null,
    position: act && Number(act.position),
    first: isSecond
      ? { by: `staff:${firstBy}`, at: firstAt.toISOString(), acknowledged: kindsOf(firstOverride) }
      : null,
    acknowledged: kindsOf(override),
    changes: answer && [...answer.changes],
  };
}

function kindsOf(override: ReviewOverride | null): string[] {
  return override?.acknowledged.map(alarmKind) ?? [];
}

/**
 * The console keeps an alarm as a code with what its sentence is made from, such as `["paper","birth",{"on":"1980-01-02"}]`:
 * only `paper.birth` goes into a proof. Of the text of an API caller nothing does.
 */
export function alarmKind(kept: string): string {
  const [, group, kind] = /^\["(paper|hint|mark|edits|more)"(?:,"([a-z_]{1,40})")?/.exec(kept) ?? [];
  if (group === undefined) return 'text';
  return kind === undefined ? group : `${group}.${kind}`;
}

/** The numbers of its parcels are personal data. */
function provenOrder({ id, sequence, status, items, parcels, lots, ...order }: ProvenOrder): ProofOrder {
  return {
    id,
    version: sequence,
    status,
    lines: items.map(({ p1_id, name, quantity, price }) => ({ p1_id, name, quantity, price })),
    total_amount: order.total_amount,
    shipping_option: order.shipping_option,
    parcels: parcels.map(({ carrier, created_at: added_at }) => ({ carrier, added_at })),
    lots: lotsAsRead({ items, lots }),
  };
}

const IS_LOOK = new RegExp(LOOK);

/** An entry that is not sealed yet is left out. */
function auditOf({ request, acts, head }: ProvenRows): ProofAudit {
  const entries = acts.flatMap(({ position, at, actor, action, object, seal }): ProofEntry[] =>
    seal === null ? [] : [{ position: Number(position), at, actor, action, object, seal }],
  );
  return {
    entries,
    complete: isComplete(request.id, acts),
    sealed_to: Number(head.position),
    seal: head.seal,
  };
}

function isComplete(requestId: string, acts: readonly AuditedAct[]): boolean {
  const counts = { decisions: 0, acts: 0, looks: 0, otherLooks: 0, order: 0 };
  for (const { action, actor, object } of acts) {
    if (!object.startsWith(`order-request:${requestId}`)) counts.order += 1;
    else if (DECIDING_ACTIONS.includes(action)) counts.decisions += 1;
    else if (!IS_LOOK.test(action)) counts.acts += 1;
    else if (actor.startsWith('staff:')) counts.looks += 1;
    else counts.otherLooks += 1;
  }
  return Object.entries(MAX_PROOF_ENTRIES).every(
    ([kind, most]) => counts[kind as keyof typeof counts] < most,
  );
}

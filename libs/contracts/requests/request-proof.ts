import {
  CalendarDate,
  Flag,
  Int,
  MAX_TEXT_LENGTH,
  Money,
  Nested,
  OneOf,
  Text,
  Timestamp,
} from '../calls/fields';
import { operation } from '../calls/operation';
import { Described } from '../calls/schema';
import { TestMark } from '../calls/test-mark';
import {
  MAX_ORDER_ITEMS,
  ORDER_STATUSES,
  OrderItem,
  type OrderStatus,
  SHIPPING_OPTIONS,
  type ShippingOption,
} from '../orders/orders';
import { LOTS_FIELD, OrderLot } from '../orders/lots';
import { type Carrier, CARRIERS, MAX_PARCELS } from '../orders/parcels';
import { MAX_ANSWER_CHANGES } from './answer-changes';
import { MAX_OVERRIDES } from './order-request-review';
import {
  ORDER_REQUEST_STATUSES,
  ORDER_REQUESTS_PATH,
  type OrderRequestStatus,
  REQUEST_REASONS,
  type RequestReason,
} from './order-requests';
import { RequestApprovalChange } from './partner-answer';
import { REQUEST_DOCUMENT_KINDS, type RequestDocumentKind } from './request-documents';
import { DOCUMENT_KINDS, type DocumentKind } from './review';
import { KEPT_MARKS, type KeptMark } from './review-settings';

/**
 * A proof of a decision about an order request, which leaves the house: one signed JSON without a customer's data.
 * docs/integrate/verify-proof.mjs checks it.
 */

export const PROOF_FORMAT = 'offizin-proof-1';
export const PROOF_KEYS_PATH = '/.well-known/offizin-proof-keys';

/** What a proof holds of the audit log. `looks` are reads of people, `otherLooks` those of programs. */
export const MAX_PROOF_ENTRIES = {
  decisions: 10,
  acts: 500,
  looks: 500,
  otherLooks: 100,
  order: 300,
} as const;
const MOST_ENTRIES = Object.values(MAX_PROOF_ENTRIES).reduce((sum, count) => sum + count, 0);
/** Versions, documents and marks, of each kind. */
export const MAX_PROOF_ROWS = 1000;

const ACTOR = 'Actor of the audit log, such as staff:<id>';

@Described('The order request that was decided')
export class ProofSubject {
  @Text({ format: 'uuid', description: 'Id of the order request' }) id!: string;
  @OneOf(ORDER_REQUEST_STATUSES, { description: 'The decision' }) status!: OrderRequestStatus;
  @OneOf(REQUEST_REASONS, { nullable: true, description: 'Why it was rejected or withdrawn' })
  reason!: RequestReason | null;
  @Timestamp({ description: 'When it was handed in, in UTC' }) created_at!: string;
  @Timestamp({ nullable: true, description: 'When an erasure emptied the request. Null for every other' })
  erased_at!: string | null;
  @TestMark() test?: boolean;
}

@Described('A version of the request, with what was noted about its prescription')
export class ProofVersion {
  @Int({ minimum: 1, description: 'Number of the version, from 1' }) number!: number;
  @Timestamp({ description: 'When it was handed in, in UTC' }) received_at!: string;
  @Flag({ description: 'The pharmacist asked the sender about it' }) asked!: boolean;
  @CalendarDate({ nullable: true, description: 'Date of issue on the prescription' }) issued_on!:
    string | null;
  @OneOf(DOCUMENT_KINDS, { nullable: true, description: 'Kind of prescription' })
  document_kind!: DocumentKind | null;
}

@Described('A document, by its hash')
export class ProofDocument {
  @Int({ minimum: 1, description: 'Its number in the request' }) number!: number;
  @OneOf(REQUEST_DOCUMENT_KINDS, { description: 'What it is' }) kind!: RequestDocumentKind;
  @Int({ minimum: 1, description: 'The version that it came with' }) version!: number;
  @Text({ nullable: true, maxLength: 64, description: 'SHA-256 of the PDF; null where it was never fetched' })
  sha256!: string | null;
  @Int({ nullable: true, description: 'Bytes of the PDF' }) size_bytes!: number | null;
  @Int({ nullable: true, description: 'Pages of the PDF; null where they cannot be counted' }) pages!:
    number | null;
  @Timestamp({ description: 'When it was handed in, in UTC' }) received_at!: string;
  @Flag({ description: 'The document of a later version took its place' }) replaced!: boolean;
}

@Described('What a person has checked on the prescription of a version')
export class ProofMarks {
  @Int({ minimum: 1, description: 'The version' }) version!: number;
  @Text({ description: ACTOR }) by!: string;
  @Timestamp({ description: 'Last change, in UTC' }) at!: string;
  @OneOf(KEPT_MARKS, { many: true, description: 'The marks that are set' }) marks!: KeptMark[];
}

const ALARMS = {
  maxLength: 50,
  listOf: { maxItems: MAX_OVERRIDES },
  description:
    'Kinds of the alarms that were acknowledged, such as paper.dose; text for a text of an API caller',
} as const;

@Described('The first of two approvals')
export class ProofFirstApproval {
  @Text({ description: ACTOR }) by!: string;
  @Timestamp({ description: 'When, in UTC' }) at!: string;
  @Text(ALARMS) acknowledged!: string[];
}

@Described('Who decided, when, and what was acknowledged and changed')
export class ProofDecision {
  @Text({ nullable: true, description: `${ACTOR}; null for a decision that was imported` }) by!:
    string | null;
  @Timestamp({ nullable: true, description: 'When, in UTC; null for a decision that was imported' }) at!:
    string | null;
  @Int({ nullable: true, description: 'Position of its entry in the audit log' }) position!: number | null;
  @Nested(() => ProofFirstApproval, { nullable: true, description: 'Null where one person decided' })
  first!: ProofFirstApproval | null;
  @Text(ALARMS) acknowledged!: string[];
  @Nested(() => RequestApprovalChange, {
    list: { maxItems: MAX_ANSWER_CHANGES },
    nullable: true,
    description: 'What the approval changed; null where nothing was approved, and after an erasure',
  })
  changes!: RequestApprovalChange[] | null;
}

@Described('A parcel, without its number')
export class ProofParcel {
  @OneOf(CARRIERS, { description: 'Who carries it' }) carrier!: Carrier;
  @Timestamp({ description: 'When it was added, in UTC' }) added_at!: string;
}

@Described('The order that the request became, as it is when the proof is made')
export class ProofOrder {
  @Text({ format: 'uuid', description: 'Id of the order' }) id!: string;
  @Int({ minimum: 1, description: 'Version of the order' }) version!: number;
  @OneOf(ORDER_STATUSES, { description: 'Step of the workflow' }) status!: OrderStatus;
  @Nested(() => OrderItem, { list: { maxItems: MAX_ORDER_ITEMS }, description: 'The lines' })
  lines!: OrderItem[];
  @Money({ description: 'Total in EUR' }) total_amount!: number;
  @OneOf(SHIPPING_OPTIONS, { nullable: true, description: 'How the goods reach the customer' })
  shipping_option!: ShippingOption | null;
  @Nested(() => ProofParcel, { list: { maxItems: MAX_PARCELS }, description: 'Oldest first' })
  parcels!: ProofParcel[];
  @Nested(() => OrderLot, LOTS_FIELD) lots!: OrderLot[];
}

@Described('A sealed entry of the audit log')
export class ProofEntry {
  @Int({ description: 'Position in the audit log of the installation' }) position!: number;
  @Timestamp({ description: 'When, in UTC' }) at!: string;
  @Text({ description: ACTOR }) actor!: string;
  @Text({ description: 'Noun and verb' }) action!: string;
  @Text({ description: 'Kind and id of the object' }) object!: string;
  @Text({ maxLength: 64, description: 'Its seal, over it and every one before' })
  seal!: string;
}

@Described('What the audit log has about request and order, bound by its chain of seals')
export class ProofAudit {
  @Nested(() => ProofEntry, { list: { maxItems: MOST_ENTRIES }, description: 'Oldest first' })
  entries!: ProofEntry[];
  @Flag({ description: 'False: entries may be missing; those that are here are the oldest of their kind' })
  complete!: boolean;
  @Int({ description: 'Last sealed position when the proof was made' }) sealed_to!: number;
  @Text({ maxLength: 64, description: 'Seal of that position' }) seal!: string;
}

@Described(
  `A signed proof of a decision: a JWS (RFC 7515, EdDSA) with detached content, the JSON without \`signature\` in the form of RFC 8785. Its public key is at \`${PROOF_KEYS_PATH}\``,
)
export class RequestProof {
  @OneOf([PROOF_FORMAT], { description: 'Form of the proof' }) format!: typeof PROOF_FORMAT;
  @Timestamp({ description: 'When it was made, in UTC' }) issued_at!: string;
  @Text({ description: `Who asked for it: ${ACTOR}` }) issued_to!: string;
  @Text({ format: 'uuid', description: 'The organization' }) org_id!: string;
  @Text({ format: 'uuid', description: 'The shop' }) shop_id!: string;
  @Nested(() => ProofSubject, { description: 'The order request that was decided' }) request!: ProofSubject;
  @Nested(() => ProofVersion, { list: { maxItems: MAX_PROOF_ROWS }, description: 'By number' })
  versions!: ProofVersion[];
  @Nested(() => ProofDocument, { list: { maxItems: MAX_PROOF_ROWS }, description: 'Of all versions' })
  documents!: ProofDocument[];
  @Nested(() => ProofMarks, { list: { maxItems: MAX_PROOF_ROWS }, description: 'Of all versions' })
  marks!: ProofMarks[];
  @Nested(() => ProofDecision, { description: 'Who decided, when, and what was acknowledged and changed' })
  decision!: ProofDecision;
  @Nested(() => ProofOrder, { nullable: true, description: 'Null for a request that became no order' })
  order!: ProofOrder | null;
  @Nested(() => ProofAudit, {
    description: 'What the audit log has about request and order, bound by its chain of seals',
  })
  audit!: ProofAudit;
  @Text({ maxLength: MAX_TEXT_LENGTH, description: 'JWS with detached content' }) signature!: string;
}

/** A public key, as RFC 8037 writes it. */
export class ProofKey {
  @OneOf(['OKP']) kty!: 'OKP';
  @OneOf(['Ed25519']) crv!: 'Ed25519';
  @OneOf(['EdDSA']) alg!: 'EdDSA';
  @OneOf(['sig']) use!: 'sig';
  @Text() kid!: string;
  @Text() x!: string;
}

export const MAX_PROOF_KEYS = 100;

export class ProofKeySet {
  @Nested(() => ProofKey, { list: { maxItems: MAX_PROOF_KEYS } }) keys!: ProofKey[];
}

export const readRequestProof = operation({
  name: 'order-requests.proof',
  summary: 'Read a signed proof of the decision about an order request',
  refuses: ['conflict'],
  via: 'http',
  access: 'settings.read',
  roleScope: 'audit.read',
  path: `${ORDER_REQUESTS_PATH}/{requestId}/proof`,
  reply: RequestProof,
});

/** For the page of the gateway. */
export const listProofKeys = operation({
  name: 'proof-keys.list',
  summary: 'The public keys that check proofs',
  access: 'internal',
  method: 'POST',
  path: '',
  reply: ProofKeySet,
});

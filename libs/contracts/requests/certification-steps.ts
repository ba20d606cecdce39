import type { Answer } from '../calls/operation';
import type { OrderRequestProgress, RejectionReason } from './order-requests';

/**
 * The steps of a certification: what a partner does at a test shop before its first patient. A step is one row: name, what
 * counts, and a sentence for people in German and English. order-core ticks it when a call or a delivery counts
 * (apps/order-core/requests/intake/certification.ts).
 */

/** A call of the connector at a test shop, when it has ended. */
export interface ObservedCall {
  kind: 'call';
  operation: string;
  status: number;
  found: Answer<unknown>['found'];
  /** Of the answer; empty where it is about no single request. */
  request: Partial<Pick<OrderRequestProgress, 'status' | 'reason' | 'answer' | 'order'>>;
}

/** A delivery to the callback at a test shop. */
export interface ObservedDelivery {
  kind: 'delivery';
  /** Signed wrongly on purpose. */
  isForged: boolean;
  /** Of the receiver's answer; null without one. */
  status: number | null;
}

export interface CertificationStep {
  name: string;
  counts: (seen: ObservedCall | ObservedDelivery) => boolean;
  de: string;
  en: string;
}

type CallRule = (call: ObservedCall) => boolean;

const ofCall =
  (counts: CallRule): CertificationStep['counts'] =>
  (seen) =>
    seen.kind === 'call' && counts(seen);

/** A repeat finds what it brings, and changes nothing. */
const did = (operation: string, { isRepeat = false } = {}): CertificationStep['counts'] =>
  ofCall((call) => call.operation === operation && call.status < 300 && (call.found === 'same') === isRepeat);

const SUBMIT = 'order-requests.submit-external';
const READS = ['order-requests.read-external', 'order-requests.find-external'];

const read = (shows: (request: ObservedCall['request']) => boolean): CertificationStep['counts'] =>
  ofCall(({ operation, status, request }) => READS.includes(operation) && status === 200 && shows(request));

const REASONS: Readonly<Record<RejectionReason, { de: string; en: string }>> = {
  prescription_missing: { de: 'Rezept fehlt', en: 'prescription missing' },
  prescription_unsigned: { de: 'Rezept ohne Unterschrift', en: 'prescription not signed' },
  prescription_invalid: { de: 'Rezept fehlerhaft', en: 'prescription invalid' },
  prescription_already_used: { de: 'Rezept bereits eingereicht', en: 'prescription already submitted' },
  out_of_stock: { de: 'nicht vorrätig', en: 'out of stock' },
  customer_data_incomplete: { de: 'Kundendaten unvollständig', en: 'customer data incomplete' },
  suspected_misuse: { de: 'Verdacht auf Missbrauch', en: 'suspected misuse' },
  price_mismatch: { de: 'Preis stimmt nicht', en: 'price does not match' },
  other: { de: 'anderer Grund', en: 'other reason' },
};

const sawRejection = ([reason, { de, en }]: [string, { de: string; en: string }]): CertificationStep => ({
  name: `saw_rejected_${reason}`,
  counts: read((request) => request.status === 'rejected' && request.reason === reason),
  de: `Eine Ablehnung gelesen: ${de}`,
  en: `Read a rejection: ${en}`,
});

const met = (status: number, then: { de: string; en: string }): CertificationStep => ({
  name: `met_${status}`,
  counts: ofCall((call) => call.status === status),
  de: `Die Antwort ${status} erhalten: ${then.de}`,
  en: `Received a ${status}: ${then.en}`,
});

/** Statuses by which a receiver, or a proxy before it, says nothing about the signature. */
const ASK_LATER = [408, 425, 429, 502, 503, 504];

export const CERTIFICATION_STEPS: readonly CertificationStep[] = [
  {
    name: 'submitted',
    counts: ofCall(({ operation, status, found }) => operation === SUBMIT && status < 300 && !found),
    de: 'Eine Anfrage gesendet',
    en: 'Submitted a request',
  },
  {
    name: 'repeated',
    counts: did(SUBMIT, { isRepeat: true }),
    de: 'Dieselbe Anfrage noch einmal gesendet, ohne dass eine zweite entstand',
    en: 'Sent the same request again, without creating a second one',
  },
  {
    name: 'read_back',
    counts: read(() => true),
    de: 'Eine Anfrage zurückgelesen',
    en: 'Read a request back',
  },
  {
    name: 'listed',
    counts: did('order-requests.list-external'),
    de: 'Die eigenen Anfragen aufgelistet',
    en: 'Listed its own requests',
  },
  {
    name: 'answered',
    counts: ofCall(({ found }) => found === 'question'),
    de: 'Eine Rückfrage beantwortet',
    en: 'Answered a question',
  },
  {
    name: 'replaced',
    counts: did('order-requests.replace-external'),
    de: 'Eine Anfrage durch eine neue Version ersetzt',
    en: 'Replaced a request with a new version',
  },
  {
    name: 'added_document',
    counts: did('order-requests.add-document-external'),
    de: 'Ein Dokument nachgereicht',
    en: 'Added a document',
  },
  {
    name: 'withdrew',
    counts: did('order-requests.cancel-external'),
    de: 'Eine Anfrage zurückgezogen',
    en: 'Withdrew a request',
  },
  {
    name: 'saw_correction',
    counts: read(({ answer }) => answer?.corrected === true),
    de: 'Eine Freigabe mit Änderungen gelesen',
    en: 'Read an approval with changes',
  },
  {
    name: 'accepted_offer',
    counts: did('order-requests.accept-offer-external'),
    de: 'Ein Angebot der Apotheke angenommen',
    en: 'Accepted an offer of the pharmacy',
  },
  ...Object.entries(REASONS).map(sawRejection),
  met(409, { de: 'andere Angaben, oder zu spät', en: 'other content, or too late' }),
  met(429, { de: 'später noch einmal', en: 'again later' }),
  met(502, { de: 'noch einmal unter derselben Referenz', en: 'again under the same reference' }),
  {
    name: 'took_callback',
    counts: (seen) => seen.kind === 'delivery' && !seen.isForged && isTaken(seen.status),
    de: 'Ein Ereignis mit 2xx angenommen',
    en: 'Took an event with a 2xx',
  },
  {
    name: 'refused_forgery',
    counts: (seen) => seen.kind === 'delivery' && seen.isForged && isRefused(seen.status),
    de: 'Ein Ereignis mit falscher Signatur abgewiesen',
    en: 'Refused an event with a wrong signature',
  },
  {
    name: 'followed_to_parcel',
    counts: read(({ order }) => (order?.parcels.length ?? 0) > 0),
    de: 'Einen Auftrag bis zu seinem Paket verfolgt',
    en: 'Followed an order to its parcel',
  },
];

function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function isRefused(status: number | null): boolean {
  return status !== null && !isTaken(status) && !ASK_LATER.includes(status);
}

/** The names of those that a call or a delivery counts for. */
export function stepsOf(seen: ObservedCall | ObservedDelivery): string[] {
  return CERTIFICATION_STEPS.filter(({ counts }) => counts(seen)).map(({ name }) => name);
}

export const STEP_NAMES = CERTIFICATION_STEPS.map(({ name }) => name);
/** Those that deliveries tick. */
export const CALLBACK_STEPS = ['took_callback', 'refused_forgery'] as const;
export type CallbackStep = (typeof CALLBACK_STEPS)[number];

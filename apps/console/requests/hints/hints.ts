import type { DocumentKind, ReviewDetail } from '@offizin/contracts/requests/review';
import type { ReviewSettings } from '@offizin/contracts/requests/review-settings';
import { berlinDay, daysBetween } from '../../text/berlin-day';
import type { Formats } from '../../text/formats';
import { type Findings, findingsIn, isScan, kindIn, ownPages, type Wanted } from './findings';
import type { HintTexts } from './hints.de';
import type { MedicineFinding } from './medicine-findings';
import { hasToken, type Prescribed, type PrescriptionHint, prescriptionHints } from './prescription-hints';

/** Green is quiet; only trouble has a colour. */
export type Hint =
  | PrescriptionHint
  | { kind: 'name'; tone: 'good' | 'amber' }
  /** `ageDays` is negative for a day that is still to come. */
  | { kind: 'issued'; tone: 'good' | 'amber' | 'red'; on: string; ageDays: number }
  /** Another strength or pack, what was not found, and what was, with all that was compared. */
  | { kind: 'other'; tone: 'red'; medicines: readonly MedicineFinding[] }
  | { kind: 'missing'; tone: 'amber'; medicines: readonly MedicineFinding[] }
  | { kind: 'amounts'; tone: 'amber'; medicines: readonly MedicineFinding[] }
  | { kind: 'same'; tone: 'good'; medicines: readonly MedicineFinding[] }
  | { kind: 'scan'; tone: 'quiet' }
  | { kind: 'used'; tone: 'good' | 'quiet' | 'red'; times: number }
  /** An order of another sender has the reference; `of` is its integration. Red: the customer is the same. */
  | { kind: 'reference'; tone: 'amber' | 'red'; of: string | null }
  | { kind: 'duplicate'; tone: 'good' | 'amber' }
  | { kind: 'signature'; tone: 'quiet' | 'red'; signature: 'none' | 'present' | 'altered' }
  | { kind: 'stock'; tone: 'red' }
  | { kind: 'price'; tone: 'amber' }
  /** Goods that are sent before they are paid, or wait for the payment. */
  | { kind: 'payment'; tone: 'amber'; cash: 'given' | 'default' | 'unpaid' }
  | { kind: 'document'; tone: 'red'; why: 'missing' | Exclude<DocumentText, 'unread' | object> };

/** Age of a prescription in days from which it is doubtful, and from which it is surely too old. */
type Validity = Pick<ReviewSettings, 'amber_days' | 'red_days'>;

/** What the browser knows of the document: not yet read, its text, or why it has none. */
export type DocumentText = 'unread' | 'broken' | 'locked' | 'late' | { text: string };

/** What of a request is compared. */
type Compared = Pick<
  ReviewDetail,
  'customer_name' | 'external_reference' | 'reference_order' | 'lines' | 'checks'
> &
  Prescribed & { prescription: Pick<NonNullable<ReviewDetail['prescription']>, 'state'> | null };

/** What server and browser have compared, the document's findings first. */
export function hintsOf(detail: Compared, document: DocumentText, nowMs: number, validity: Validity): Hint[] {
  const { checks, lines, prescription } = detail;
  const hints: Hint[] = [];
  // An e-prescription is one without a document.
  const isElectronic = prescription === null && hasToken(detail.payload);
  if (prescription?.state !== 'stored') {
    if (!isElectronic) hints.push({ kind: 'document', tone: 'red', why: 'missing' });
  } else if (typeof document === 'object') hints.push(...ofText(detail, document.text, nowMs, validity));
  else if (document !== 'unread') hints.push({ kind: 'document', tone: 'red', why: document });
  const isRead = prescription?.state === 'stored' && typeof document === 'object' && !isScan(document.text);
  const own = isRead ? ownPages(document.text, detail.customer_name) : null;
  hints.push(...prescriptionHints(detail, own, nowMs));
  const uses = checks.used_before;
  const times = uses.filter(({ withdrawn }) => !withdrawn).length;
  if (checks.pdf_sha256 !== null || uses.length > 0) {
    hints.push({ kind: 'used', tone: times > 0 ? 'red' : uses.length > 0 ? 'quiet' : 'good', times });
  }
  const order = detail.reference_order;
  if (order)
    hints.push({ kind: 'reference', tone: order.same_customer ? 'red' : 'amber', of: order.integration });
  // A request with a reference is compared with no other.
  if (detail.external_reference === null)
    hints.push({ kind: 'duplicate', tone: checks.duplicate_suspect ? 'amber' : 'good' });
  if (checks.signature !== null) {
    const tone = checks.signature === 'altered' ? 'red' : 'quiet';
    hints.push({ kind: 'signature', tone, signature: checks.signature });
  }
  if (lines.some(({ available, quantity }) => available !== null && available < quantity))
    hints.push({ kind: 'stock', tone: 'red' });
  if (lines.some(({ catalog_price: price, ...line }) => price !== null && price !== line.price))
    hints.push({ kind: 'price', tone: 'amber' });
  return [...hints, ...paymentHints(detail.payload)];
}

type Payload = ReviewDetail['payload'];

/** The payment that approval gives the order; the rule is that of approved-order.ts. */
export function paymentOf({ payment_status, cash_on_pickup, shipping_option }: Payload): string {
  if (typeof payment_status === 'string') return payment_status;
  return (cash_on_pickup ?? isPickedUp(shipping_option)) === true ? 'cash_on_pickup' : 'pending';
}

function isPickedUp(option: unknown): boolean {
  return (option ?? '') === '' || option === 'Abholung';
}

function paymentHints(payload: Payload): Hint[] {
  if (isPickedUp(payload['shipping_option'])) return [];
  if (paymentOf(payload) === 'cash_on_pickup') return [{ kind: 'payment', tone: 'amber', cash: 'given' }];
  const said = payload['payment_status'] ?? payload['cash_on_pickup'] ?? null;
  if (said === 'paid') return [];
  return [{ kind: 'payment', tone: 'amber', cash: said === null ? 'default' : 'unpaid' }];
}

/** What the document's text says, for the question to the partner and the date of issue. */
export function findingsOf(detail: Compared, text: string): Findings {
  return findingsIn(text, wantedOf(detail));
}

export function wantedOf(detail: Compared): Wanted {
  return {
    customerName: detail.customer_name,
    lines: detail.lines.map(({ product_name, name, p1_id, quantity }) => ({
      // The product is handed out, whatever the partner calls it.
      names: [product_name ?? name ?? p1_id ?? '', name ?? product_name ?? p1_id ?? ''],
      quantity,
    })),
  };
}

function ofText(detail: Compared, text: string, nowMs: number, validity: Validity): Hint[] {
  const findings = findingsOf(detail, text);
  const on = detail.marks.issued_on ?? findings.issuedOn;
  const issued =
    on === null ? [] : [issuedHint(on, nowMs, validityOf(kindOf(detail.marks, { text }), validity))];
  if (findings.isScan) return [{ kind: 'scan', tone: 'quiet' }, ...issued];
  const name: Hint = { kind: 'name', tone: findings.hasName ? 'good' : 'amber' };
  return [name, ...issued, ...medicineHints(findings.medicines)];
}

function medicineHints(all: readonly MedicineFinding[]): Hint[] {
  const same = all.filter(({ state }) => state === 'same');
  const hints: (Hint & { medicines: readonly MedicineFinding[] })[] = [
    { kind: 'other', tone: 'red', medicines: all.filter(({ state }) => state === 'other') },
    {
      kind: 'missing',
      tone: 'amber',
      medicines: all.filter(({ state }) => state === 'missing' || state === 'unnamed'),
    },
    { kind: 'amounts', tone: 'amber', medicines: same.filter(({ hasAmount }) => !hasAmount) },
    { kind: 'same', tone: 'good', medicines: same },
  ];
  return hints.filter(({ medicines }) => medicines.length > 0);
}

/** As a person has set it, else as the document's text names it. */
export function kindOf(
  { document_kind }: ReviewDetail['marks'],
  document: DocumentText,
): DocumentKind | null {
  return document_kind ?? (typeof document === 'object' ? kindIn(document.text) : null);
}

/** A narcotic prescription counts for seven days after its issue. */
const NARCOTIC_DAYS = 7;

function validityOf(kind: DocumentKind | null, { amber_days, red_days }: Validity): Validity {
  const days = kind === 'narcotic' ? NARCOTIC_DAYS : Infinity;
  return { amber_days: Math.min(amber_days, days), red_days: Math.min(red_days, days) };
}

/** Days of the pharmacy's calendar. A day that is still to come cannot be right. */
function issuedHint(on: string, nowMs: number, { amber_days, red_days }: Validity): Hint {
  const ageDays = daysBetween(on, berlinDay(nowMs));
  const tone = ageDays < 0 || ageDays > red_days ? 'red' : ageDays > amber_days ? 'amber' : 'good';
  return { kind: 'issued', tone, on, ageDays };
}

/** A hint as a sentence. */
export function hintText(hint: Hint, hints: HintTexts, formats: Formats): string {
  switch (hint.kind) {
    case 'name':
    case 'duplicate':
      return hints[hint.kind][hint.tone];
    case 'issued':
      return hints.issued(formats.date(hint.on), hint.ageDays);
    case 'other':
    case 'missing':
    case 'amounts':
    case 'same':
      return hint.medicines.map((medicine) => hints[hint.kind](medicine)).join(' · ');
    case 'birth':
    case 'dated':
      return hints[hint.kind][hint.tone](formats.date(hint.on), hint.instead.map(formats.date).join(', '));
    case 'prescriber':
      return hints.prescriber[hint.tone](hint.parts.map((part) => hints.prescriberParts[part]).join(', '));
    case 'otherNumber':
      return hints.otherNumber(hint.number, hint.instead);
    case 'minor':
      return hints.minor(formats.date(hint.on));
    case 'checked':
      return hint.check === null
        ? hints.unchecked
        : hints.checked(hint.check.by, formats.dateTime(hint.check.at));
    case 'payment':
      return hints.payment[hint.cash];
    case 'document':
      return hints.document[hint.why];
    case 'used':
      return hints.used[hint.tone](hint.times);
    case 'reference':
      return hints.reference[hint.tone](hint.of);
    case 'signature':
      return hints.signature[hint.signature];
    default:
      return hints[hint.kind];
  }
}

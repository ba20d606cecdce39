import type { DocumentKind, ReviewDetail } from '@offizin/contracts/requests/review';
import type { ReviewSettings } from '@offizin/contracts/requests/review-settings';
import { berlinDay, daysBetween } from '../../text/berlin-day';
import { readableName } from '../../text/customer-name';
import type { Formats } from '../../text/formats';
import { kindIn, NARCOTIC_DAYS } from '../paper/issue-rule';
import type { HintTexts } from './hints.de';
import { hasToken, type Prescribed, type PrescriptionHint, prescriptionHints } from './prescription-hints';

/** Green is quiet; only trouble has a colour. */
export type Hint =
  | PrescriptionHint
  /** As a person has noted it. `ageDays` is negative for a day that is still to come. */
  | { kind: 'issued'; tone: 'quiet' | 'amber' | 'red'; on: string; ageDays: number }
  | { kind: 'used'; tone: 'good' | 'quiet' | 'red'; times: number }
  /**
   * An order of another sender has the reference, or its request has it as id; `of` is its integration. Red: the
   * customer is the same.
   */
  | { kind: 'reference'; tone: 'amber' | 'red'; of: string | null; isId: boolean }
  | { kind: 'duplicate'; tone: 'good' | 'amber' }
  | { kind: 'signature'; tone: 'quiet' | 'red'; signature: 'none' | 'present' | 'altered' }
  | { kind: 'stock'; tone: 'red' }
  | { kind: 'price'; tone: 'amber' }
  /** Goods that are sent before they are paid, or wait for the payment. */
  | { kind: 'payment'; tone: 'amber'; cash: 'given' | 'default' | 'unpaid' }
  /** `of`: which one, where the request has several documents. */
  | {
      kind: 'document';
      tone: 'red';
      why: 'missing' | Exclude<DocumentText, 'unread' | object>;
      of?: DocumentOf;
    };

type DocumentOf = Pick<ReviewDetail['documents'][number], 'number' | 'name'>;

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

/** Facts besides the text of the paper. `issuedOn` is the day that it names, `unread` one that has no text. */
export function hintsOf(
  detail: Compared,
  document: DocumentText,
  issuedOn: string | null,
  { nowMs, unread, ...validity }: Validity & { nowMs: number; unread?: DocumentOf },
): Hint[] {
  const { checks, lines, prescription, marks } = detail;
  const hints: Hint[] = [];
  // An e-prescription is one without a document.
  const isElectronic = prescription === null && hasToken(detail.payload);
  if (prescription?.state !== 'stored') {
    if (!isElectronic) hints.push({ kind: 'document', tone: 'red', why: 'missing' });
  } else if (typeof document === 'string' && document !== 'unread')
    hints.push({ kind: 'document', tone: 'red', why: document, of: unread && numbered(unread) });
  if (marks.issued_on !== null)
    hints.push(issuedHint(marks.issued_on, nowMs, validityOf(kindOf(marks, document), validity)));
  hints.push(...prescriptionHints(detail, issuedOn, nowMs));
  const uses = checks.used_before;
  const times = uses.filter(({ withdrawn }) => !withdrawn).length;
  if (checks.pdf_sha256 !== null || uses.length > 0) {
    hints.push({ kind: 'used', tone: times > 0 ? 'red' : uses.length > 0 ? 'quiet' : 'good', times });
  }
  const other = detail.reference_order;
  if (other) {
    const isId = other.order_request_id === detail.external_reference;
    const tone = other.same_customer ? 'red' : 'amber';
    hints.push({ kind: 'reference', tone, of: other.integration, isId });
  }
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

function numbered({ number, name }: DocumentOf): DocumentOf {
  return { number, name };
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

/** As a person has set it, else as the document's text names it. */
export function kindOf(
  { document_kind }: ReviewDetail['marks'],
  document: DocumentText,
): DocumentKind | null {
  return document_kind ?? (typeof document === 'object' ? kindIn(document.text) : null);
}

function validityOf(kind: DocumentKind | null, { amber_days, red_days }: Validity): Validity {
  const days = kind === 'narcotic' ? NARCOTIC_DAYS : Infinity;
  return { amber_days: Math.min(amber_days, days), red_days: Math.min(red_days, days) };
}

/** Days of the pharmacy's calendar. A day that is still to come cannot be right. */
function issuedHint(on: string, nowMs: number, { amber_days, red_days }: Validity): Hint {
  const ageDays = daysBetween(on, berlinDay(nowMs));
  const tone = ageDays < 0 || ageDays > red_days ? 'red' : ageDays > amber_days ? 'amber' : 'quiet';
  return { kind: 'issued', tone, on, ageDays };
}

/** Of a name that its sender gave. */
const MOST_NAME = 30;

function documentHint({ why, of }: Extract<Hint, { kind: 'document' }>, hints: HintTexts): string {
  if (!of) return hints.document[why];
  const name = readableName(of.name?.slice(0, MOST_NAME) ?? null);
  return `${hints.document[why]} (${[hints.documentNumber(of.number), name ?? []].flat().join(' · ')})`;
}

/** A hint as a sentence. */
export function hintText(hint: Hint, hints: HintTexts, formats: Formats): string {
  switch (hint.kind) {
    case 'duplicate':
      return hints.duplicate[hint.tone];
    case 'issued':
      return hints.issued(formats.date(hint.on), hint.ageDays);
    case 'minor':
      return hints.minor(formats.date(hint.on));
    case 'checked':
      return hint.check === null
        ? hints.unchecked
        : hints.checked(hint.check.by, formats.dateTime(hint.check.at));
    case 'payment':
      return hints.payment[hint.cash];
    case 'document':
      return documentHint(hint, hints);
    case 'used':
      return hints.used[hint.tone](hint.times);
    case 'reference':
      return hints.reference[hint.tone](hint.of, hint.isId);
    case 'signature':
      return hints.signature[hint.signature];
    default:
      return hints[hint.kind];
  }
}

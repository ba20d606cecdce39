import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { berlinDay } from '../../text/berlin-day';
import { birthdayIn, dayOfIssueIn, hasPrescriber, issuedOn } from './findings';

/** What the fields of a prescription say, beside the document's text and the organization's checks. Pure. */

type Part = 'name' | 'number';

/** `instead`: what the document says; empty when it was not found. */
export type PrescriptionHint =
  | { kind: 'birth' | 'dated'; tone: 'good' | 'amber' | 'red'; on: string; instead: readonly string[] }
  | { kind: 'prescriber'; tone: 'good' | 'amber'; parts: readonly Part[] }
  | { kind: 'otherNumber'; tone: 'red'; number: string; instead: string }
  | { kind: 'minor'; tone: 'amber'; on: string }
  | { kind: 'checked'; tone: 'good' | 'quiet'; check: ReviewDetail['prescriber_check'] };

export type Prescribed = Pick<ReviewDetail, 'customer_name' | 'payload' | 'marks' | 'prescriber_check'>;

/** `text` is null where nothing can be compared: no document, or a scan. */
export function prescriptionHints(
  detail: Prescribed,
  text: string | null,
  nowMs: number,
): PrescriptionHint[] {
  const { payload, marks, prescriber_check: check } = detail;
  const [born, dated] = [payload['patient_birth_date'], payload['prescription_date']];
  const hints: PrescriptionHint[] = [];
  const found = text === null ? null : issuedOn(text);
  if (text !== null && typeof born === 'string') hints.push(dayHint('birth', born, birthdayIn(text, born)));
  if (text !== null && typeof dated === 'string')
    hints.push(dayHint('dated', dated, dayOfIssueIn(text, dated)));
  const prescriber = prescriberOf(payload);
  if (text !== null) hints.push(...prescriberHints(prescriber, text, detail.customer_name));
  const on = typeof dated === 'string' ? dated : (marks.issued_on ?? found ?? berlinDay(nowMs));
  if (typeof born === 'string' && isMinor(born, on)) hints.push({ kind: 'minor', tone: 'amber', on });
  if (isKnowable(prescriber)) hints.push({ kind: 'checked', tone: check ? 'good' : 'quiet', check });
  return hints;
}

function dayHint(
  kind: 'birth' | 'dated',
  on: string,
  { isFound, instead }: { isFound: boolean; instead: readonly string[] },
): PrescriptionHint {
  if (isFound) return { kind, tone: 'good', on, instead: [] };
  return { kind, tone: instead.length > 0 ? 'red' : 'amber', on, instead };
}

const LABELLED_NUMBER = /(?:LANR|Arzt-?\s?(?:Nr|Nummer))\.?\s*:?\s*(\d{9})(?!\d)/gi;

/** Numbers of other things, such as the practice. */
const OTHER_NUMBER =
  /(?<!\p{L})(?:(?:BSNR|Betriebsst|Kunde|Vers|IK|PZN)[^\d\n]{0,30}|(?:Tel|Fax|Fon)[^\d\n]{0,9}[\d ()/-]*)\d{9}(?!\d)/giu;

function prescriberHints(
  { name, number }: Prescriber,
  text: string,
  customerName: string | null,
): PrescriptionHint[] {
  const instead = [...text.matchAll(LABELLED_NUMBER)].map(([, written = '']) => written);
  const numbers = instead.length > 0 ? instead.join(' ') : text.replaceAll(OTHER_NUMBER, ' ');
  const hasNumber = number !== undefined && new RegExp(`(?<!\\d)${number}(?!\\d)`).test(numbers);
  const hints: PrescriptionHint[] = [];
  if (number !== undefined && !hasNumber && instead.length > 0)
    hints.push({ kind: 'otherNumber', tone: 'red', number, instead: instead.join(', ') });
  const parts = [
    ...(name === undefined
      ? []
      : [{ part: 'name' as const, isFound: hasPrescriber(text, name, customerName) }]),
    ...(number === undefined || hints.length > 0 ? [] : [{ part: 'number' as const, isFound: hasNumber }]),
  ];
  const of = (tone: 'good' | 'amber') =>
    parts.filter(({ isFound }) => isFound === (tone === 'good')).map(({ part }) => part);
  const missing = of('amber');
  if (missing.length > 0) hints.push({ kind: 'prescriber', tone: 'amber', parts: missing });
  else if (parts.length > 0) hints.push({ kind: 'prescriber', tone: 'good', parts: of('good') });
  return hints;
}

const ADULT_YEARS = 18;

/** Whoever is born on February 29 is an adult on March 1. */
function isMinor(born: string, on: string): boolean {
  const birthday = `${Number(born.slice(0, 4)) + ADULT_YEARS}${born.slice(4)}`;
  return on < birthday;
}

const FIELDS = ['patient_birth_date', 'prescription_date', 'prescriber', 'e_prescription'];

/** Whether the sender gave any of these fields. */
export function hasPrescribed(payload: ReviewDetail['payload']): boolean {
  return FIELDS.some((field) => (payload[field] ?? null) !== null);
}

/** It can be redeemed without a document. */
export function hasToken({ e_prescription: token }: ReviewDetail['payload']): boolean {
  return typeof token === 'object' && token !== null;
}

export type Prescriber = Readonly<
  Partial<Record<'name' | 'street' | 'city' | 'postal_code' | 'phone' | 'number', string>>
>;

/** As it was sent, without what is empty. */
export function prescriberOf({ prescriber }: ReviewDetail['payload']): Prescriber {
  if (typeof prescriber !== 'object' || prescriber === null) return {};
  const given = Object.entries(prescriber).filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries(given);
}

/** The organization remembers a prescriber by the name with the number, else with the postal code. */
export function isKnowable({ number, name, postal_code: code }: Prescriber): boolean {
  return name !== undefined && (number ?? code) !== undefined;
}

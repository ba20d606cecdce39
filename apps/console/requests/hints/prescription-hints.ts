import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { berlinDay } from '../../text/berlin-day';

/** What the sent fields of a prescription say, with the organization's checks. Pure. */

export type PrescriptionHint =
  | { kind: 'minor'; tone: 'amber'; on: string }
  | { kind: 'checked'; tone: 'good' | 'quiet'; check: ReviewDetail['prescriber_check'] };

export type Prescribed = Pick<ReviewDetail, 'customer_name' | 'payload' | 'marks' | 'prescriber_check'>;

/** `issuedOn`: the day that the paper names. */
export function prescriptionHints(
  { payload, marks, prescriber_check: check }: Prescribed,
  issuedOn: string | null,
  nowMs: number,
): PrescriptionHint[] {
  const [born, dated] = [payload['patient_birth_date'], payload['prescription_date']];
  const on = typeof dated === 'string' ? dated : (marks.issued_on ?? issuedOn ?? berlinDay(nowMs));
  const hints: PrescriptionHint[] = [];
  if (typeof born === 'string' && isMinor(born, on)) hints.push({ kind: 'minor', tone: 'amber', on });
  if (isKnowable(prescriberOf(payload)))
    hints.push({ kind: 'checked', tone: check ? 'good' : 'quiet', check });
  return hints;
}

const ADULT_YEARS = 18;

/** A person who was born on February 29 is an adult on March 1. */
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

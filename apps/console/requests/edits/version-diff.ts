import { readableOf } from '../../text/customer-name';
import type { Formats } from '../../text/formats';

/** How the person reads what a partner sends. */
export interface ReadValues {
  formats: Pick<Formats, 'money' | 'number' | 'date'>;
  words: { yes: string; no: string; payment: Readonly<Record<string, string>> };
}

export interface FieldChange {
  field: string;
  from: string;
  to: string;
}

/** What differs between two payloads of a request; lists and objects are compared whole. */
export function compareVersions(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  read: ReadValues,
): FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.flatMap((field) => {
    const [from, to] = [shown(field, before[field], read), shown(field, after[field], read)];
    return from === to ? [] : [{ field, from, to }];
  });
}

export interface SentField {
  /** As the partner named it. */
  field: string;
  /** From 1, of a field of a line; else null. */
  line: number | null;
  value: string;
}

/** These have separate places on the screen. */
const SHOWN = new Set([
  'customer_name',
  'customer_email',
  'address_street',
  'address_postal_code',
  'address_city',
  'address_phone',
  'shipping_option',
  'total_amount',
  'items',
  'patient_birth_date',
  'prescription_date',
  'prescriber',
  'e_prescription',
]);
const SHOWN_OF_LINE = new Set(['name', 'quantity', 'price', 'p1_id', 'product_id']);

/** All other fields of a request and of its lines, and its metadata. */
export function furtherFields(
  { payload, metadata }: Record<'payload' | 'metadata', Record<string, unknown>>,
  read: ReadValues,
): { fields: SentField[]; metadata: SentField[] } {
  const items: unknown[] = Array.isArray(payload['items']) ? payload['items'] : [];
  const fieldsOf = (of: object, hidden: ReadonlySet<string>, line: number | null = null): SentField[] =>
    Object.entries(of).flatMap(([field, given]) => {
      const value = hidden.has(field) ? '' : shown(field, given, read);
      return value === '' ? [] : [{ field, line, value }];
    });
  const ofLines = items.flatMap((item, index) =>
    typeof item === 'object' && item !== null ? fieldsOf(item, SHOWN_OF_LINE, index + 1) : [],
  );
  return { fields: [...fieldsOf(payload, SHOWN), ...ofLines], metadata: fieldsOf(metadata, new Set()) };
}

/** Such as `unit_price`; another number may be an id, which has no separators. */
const AMOUNT = /(?:^|_)(?:amount|price|total|cost|fee)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

function shown(field: string, value: unknown, read: ReadValues): string {
  const { formats, words } = read;
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((line) => lineText(line, read)).join(', ');
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number')
    return AMOUNT.test(field)
      ? formats.money(value)
      : String(value).replace('.', formats.number(0.5).charAt(1));
  if (typeof value !== 'string') return JSON.stringify(value);
  if (field === 'payment_status' && Object.hasOwn(words.payment, value)) return words.payment[value] ?? value;
  return DAY.test(value) && !Number.isNaN(Date.parse(value)) ? formats.date(value) : readableOf(value);
}

function lineText(line: unknown, read: ReadValues): string {
  if (typeof line !== 'object' || line === null) return shown('', line, read);
  const { quantity, name, p1_id, price } = line as Record<string, unknown>;
  const product = shown('name', name ?? p1_id, read);
  return `${shown('quantity', quantity, read)} × ${product} (${shown('price', price, read)})`;
}

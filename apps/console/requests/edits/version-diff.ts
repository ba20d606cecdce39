export interface FieldChange {
  field: string;
  from: string;
  to: string;
}

/** What differs between two payloads of a request; lists and objects are compared whole. */
export function compareVersions(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.flatMap((field) => {
    const [from, to] = [shown(before[field]), shown(after[field])];
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
  ...[
    'customer_name',
    'customer_email',
    'address_street',
    'address_postal_code',
    'address_city',
    'address_phone',
  ],
  ...['shipping_option', 'total_amount', 'items'],
  ...['patient_birth_date', 'prescription_date', 'prescriber', 'e_prescription'],
]);
const SHOWN_OF_LINE = new Set(['name', 'quantity', 'price', 'p1_id', 'product_id']);

/** All other fields of a request and of its lines, and its metadata. */
export function furtherFields({
  payload,
  metadata,
}: {
  payload: Record<string, unknown>;
  metadata: Record<string, unknown>;
}): { fields: SentField[]; metadata: SentField[] } {
  const items: unknown[] = Array.isArray(payload['items']) ? payload['items'] : [];
  const ofLines = items.flatMap((item, index) =>
    typeof item === 'object' && item !== null ? fieldsOf({ ...item }, SHOWN_OF_LINE, index + 1) : [],
  );
  return { fields: [...fieldsOf(payload, SHOWN), ...ofLines], metadata: fieldsOf(metadata, new Set()) };
}

function fieldsOf(
  of: Record<string, unknown>,
  hidden: ReadonlySet<string>,
  line: number | null = null,
): SentField[] {
  return Object.entries(of).flatMap(([field, value]) =>
    hidden.has(field) || shown(value) === '' ? [] : [{ field, line, value: shown(value) }],
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(lineText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lineText(line: unknown): string {
  if (typeof line !== 'object' || line === null) return shown(line);
  const { quantity, name, p1_id, price } = line as Record<string, unknown>;
  return `${shown(quantity)} × ${shown(name ?? p1_id)} (${shown(price)} €)`;
}

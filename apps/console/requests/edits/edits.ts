import type { ApproveBody } from '@offizin/contracts/requests/order-request-review';
import type { ReviewDetail, ReviewLine } from '@offizin/contracts/requests/review';

/** What a person changes in a request before approving it. Pure; use-edits.ts keeps them. */

export const TEXT_FIELDS = [
  'customer_name',
  'customer_email',
  'customer_id',
  'address_street',
  'address_postal_code',
  'address_city',
  'address_phone',
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

/** An absent field keeps the partner's value; null clears it. */
export interface Edits extends Pick<ApproveBody, TextField | 'shipping_option' | 'total_amount'> {
  lines?: readonly ReviewLine[];
}
export type EditedField = keyof Edits;

/** The order in which changes are shown. */
const FIELDS: readonly EditedField[] = ['lines', 'total_amount', ...TEXT_FIELDS, 'shipping_option'];

/** The part of a request that can be edited. */
export type Editable = Pick<ReviewDetail, 'payload' | 'customer_name' | 'total_amount' | 'lines'>;

/** The request as it would be approved, so that every check is made on what becomes the order. */
export function withEdits<Sent extends Editable>(sent: Sent, edits: Edits): Sent {
  const { lines, total_amount = sent.total_amount, ...texts } = edits;
  return {
    ...sent,
    payload: { ...sent.payload, ...texts },
    customer_name: edits.customer_name ?? sent.customer_name,
    total_amount,
    lines: lines ? lines.map((line) => withNews(line, sent.lines)) : sent.lines,
  };
}

/** Stock and price of the product may have been read again since the edit. */
function withNews(line: ReviewLine, read: readonly ReviewLine[]): ReviewLine {
  const { name, p1_id, quantity, price } = line;
  const news = p1_id === null ? undefined : read.find((other) => other.p1_id === p1_id);
  return { ...(news ?? line), name, p1_id, quantity, price };
}

/** With other lines the API would take their bare sum as the total, so that the total on the screen goes along. */
export function bodyOf(
  { lines, ...fields }: Edits,
  { total_amount }: Pick<ReviewDetail, 'total_amount'>,
): ApproveBody {
  if (!lines) return fields;
  const items = lines.map(({ name, p1_id, quantity, price }) => ({ name, p1_id, qty: quantity, price }));
  return { ...fields, items, total_amount };
}

/** Those that the request takes: an erased one takes no text about its customer. */
export function takenEdits({ erased_at }: Pick<ReviewDetail, 'erased_at'>, edits: Edits): Edits {
  if (erased_at === null) return edits;
  const texts: readonly string[] = TEXT_FIELDS;
  return Object.fromEntries(Object.entries(edits).filter(([field]) => !texts.includes(field)));
}

export function editedFields(edits: Edits): EditedField[] {
  return FIELDS.filter((field) => edits[field] !== undefined);
}

/** Without the named change. The total goes with the lines that it belongs to. */
export function withoutEdit(edits: Edits, field: EditedField): Edits {
  const gone: readonly EditedField[] = field === 'lines' ? ['lines', 'total_amount'] : [field];
  return Object.fromEntries(Object.entries(edits).filter(([name]) => gone.every((each) => each !== name)));
}

/** A text that the partner sent; anything else than a text counts as none. */
export function sentText({ payload }: Pick<ReviewDetail, 'payload'>, field: string): string {
  const value = payload[field];
  return typeof value === 'string' ? value : '';
}

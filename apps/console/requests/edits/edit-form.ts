import type { ShippingOption } from '@offizin/contracts/orders/orders';
import type { ReviewLine } from '@offizin/contracts/requests/review';
import type { ReviewProduct } from '@offizin/contracts/requests/review-products';
import { type Editable, type Edits, sentText, TEXT_FIELDS, type TextField } from './edits';
import { inCents, readMoney } from '../../text/typed-money';

/** The contents of the fields of the edit dialog, and what they mean. Pure. */

export interface LineDraft {
  line: ReviewLine;
  quantity: string;
  price: string;
  isRemoved: boolean;
}

export interface Draft {
  texts: Record<TextField, string>;
  shipping: ShippingOption | null;
  lines: readonly LineDraft[];
  /** Null: follows the lines. */
  total: string | null;
}

export type Mistake = 'empty' | 'email' | 'quantity' | 'money' | 'no_lines';
/** By the name of the field, as the API names it: `items[0].qty`. */
export type Mistakes = Readonly<Record<string, Mistake>>;

/** As in libs/contracts, whose values would bring the whole contract into the bundle. */
export const SHIPPING_OPTIONS: readonly ShippingOption[] = ['Abholung', 'Versand', 'Express', 'Uber Eats'];
const MAX_QUANTITY = 1_000_000;

/** The product takes the place of what the partner named; quantity and price stay as agreed with the customer. */
export function matchedTo(
  { quantity, price }: Pick<ReviewLine, 'quantity' | 'price'>,
  product: ReviewProduct,
): ReviewLine {
  const { name, p1_id, in_inventory, category, thc, cbd, available, price: catalog_price } = product;
  const facts = { in_inventory, category, thc, cbd, available, catalog_price };
  return { name, p1_id, quantity, price, product_name: name, ...facts };
}

/** One piece at the organization's price. */
export function addedLine(product: ReviewProduct, money: (euros: number) => string): LineDraft {
  return draftOfLine(matchedTo({ quantity: 1, price: product.price }, product), false, money);
}

export function draftOf(sent: Editable, edits: Edits, money: (euros: number) => string): Draft {
  const texts = Object.fromEntries(
    TEXT_FIELDS.map((field) => [field, edits[field] === null ? '' : (edits[field] ?? sentText(sent, field))]),
  ) as Draft['texts'];
  const shipping = edits.shipping_option === undefined ? sentShipping(sent) : edits.shipping_option;
  const removed = [...sent.lines];
  const drafts = (edits.lines ?? sent.lines).map((line) => {
    const at = removed.findIndex((other) => isSameThing(line, other));
    if (at >= 0) removed.splice(at, 1);
    return draftOfLine(line, false, money);
  });
  const lines = [...drafts, ...removed.map((line) => draftOfLine(line, true, money))];
  const total = edits.total_amount ?? sent.total_amount;
  const follows = inCents(total) === inCents(followedTotal(sent, { lines }));
  return { texts, shipping, lines, total: follows ? null : money(total) };
}

/** Only what differs from the partner's values, or what is wrong with the fields. */
export function readDraft(sent: Editable, draft: Draft): { edits: Edits } | { mistakes: Mistakes } {
  const mistakes: Record<string, Mistake> = {};
  const texts = readTexts(sent, draft, mistakes);
  const lines = readLines(draft, mistakes);
  const total = draft.total === null ? followedTotal(sent, draft) : readMoney(draft.total);
  if (total === null) mistakes['total_amount'] = 'money';
  if (total === null || Object.keys(mistakes).length > 0) return { mistakes };
  const isOther =
    lines.length !== sent.lines.length || lines.some((line, at) => !isEqual(line, sent.lines[at]));
  return {
    edits: {
      ...texts,
      ...(draft.shipping === sentShipping(sent) ? {} : { shipping_option: draft.shipping }),
      ...(isOther ? { lines } : {}),
      ...(inCents(total) !== inCents(sent.total_amount) ? { total_amount: total } : {}),
    },
  };
}

/** The total after a change of lines: what the lines did not explain before, such as the delivery, stays. */
export function followedTotal(sent: Editable, { lines }: Pick<Draft, 'lines'>): number {
  const rest = inCents(sent.total_amount) - sumInCents(sent.lines);
  const typed = lines.flatMap(({ isRemoved, quantity, price }) =>
    isRemoved ? [] : [{ quantity: readQuantity(quantity) ?? 0, price: readMoney(price) ?? 0 }],
  );
  return Math.max(0, sumInCents(typed) + rest) / 100;
}

export function readQuantity(text: string): number | null {
  const value = /^\s*\d{1,7}\s*$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= MAX_QUANTITY ? value : null;
}

function readTexts(sent: Editable, draft: Draft, mistakes: Record<string, Mistake>): Edits {
  const edits: Edits = {};
  for (const field of TEXT_FIELDS) {
    const text = draft.texts[field].trim();
    if (text === sentText(sent, field)) continue;
    if (field === 'customer_name' || field === 'customer_email') {
      if (text === '') mistakes[field] = 'empty';
      else if (field === 'customer_email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text))
        mistakes[field] = 'email';
      else edits[field] = text;
    } else edits[field] = text === '' ? null : text;
  }
  return edits;
}

function readLines({ lines }: Draft, mistakes: Record<string, Mistake>): ReviewLine[] {
  const kept = lines.filter(({ isRemoved }) => !isRemoved);
  if (kept.length === 0 && lines.length > 0) mistakes['items'] = 'no_lines';
  return kept.map(({ line, ...typed }, index) => {
    const [quantity, price] = [readQuantity(typed.quantity), readMoney(typed.price)];
    if (quantity === null) mistakes[`items[${index}].qty`] = 'quantity';
    if (price === null) mistakes[`items[${index}].price`] = 'money';
    return { ...line, quantity: quantity ?? line.quantity, price: price ?? line.price };
  });
}

function draftOfLine(line: ReviewLine, isRemoved: boolean, money: (euros: number) => string): LineDraft {
  return { line, quantity: String(line.quantity), price: money(line.price), isRemoved };
}

function sentShipping(sent: Editable): ShippingOption | null {
  const text = sentText(sent, 'shipping_option');
  return SHIPPING_OPTIONS.find((option) => option === text) ?? null;
}

function isSameThing(one: ReviewLine, other: ReviewLine): boolean {
  return one.p1_id === other.p1_id && one.name === other.name;
}

function isEqual(one: ReviewLine, other: ReviewLine | undefined): boolean {
  return (
    other !== undefined &&
    isSameThing(one, other) &&
    one.quantity === other.quantity &&
    inCents(one.price) === inCents(other.price)
  );
}

function sumInCents(lines: readonly { quantity: number; price: number }[]): number {
  return lines.reduce((cents, { quantity, price }) => cents + quantity * inCents(price), 0);
}

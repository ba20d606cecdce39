import { toCents } from '../calls/money';

/**
 * What a pharmacist changed of an order request, as its sender reads it. Pure, and imported by the console, too: order-core
 * stores what this function returns at the approval, and the review shows it before.
 */

export const ANSWER_CHANGE_KINDS = [
  'quantity',
  'price',
  'product',
  'name',
  'added',
  'removed',
  'delivery',
  'customer',
] as const;
export type AnswerChangeKind = (typeof ANSWER_CHANGE_KINDS)[number];

/**
 * `line` counts from 1 in what was sent; of an added line in the order. It is null for the delivery, the customer and the
 * total, which is a `price` of no line. A product is its id, else its name.
 */
export interface AnswerChange {
  kind: AnswerChangeKind;
  line: number | null;
  from: string | number | null;
  to: string | number | null;
}

export interface AnsweredLine {
  p1_id: string | null;
  name: string | null;
  quantity: number;
  price: number;
}

/** Of a request as it was sent, or as it is approved. */
export interface AnsweredContent {
  items: readonly AnsweredLine[];
  total_amount: number;
  /** Of the customer and the delivery; a value that is not a text counts as none. */
  fields: Readonly<Record<string, unknown>>;
}

export const MAX_ANSWER_CHANGES = 500;
/** UTF-16 units of the JSON of all changes: an order with its answer fits a message of the bus. */
const MAX_ANSWER_LENGTH = 80_000;

const OF_DELIVERY = ['shipping_option', 'address_street', 'address_postal_code', 'address_city'] as const;
const OF_CUSTOMER = ['customer_name', 'customer_email', 'customer_id', 'address_phone'] as const;

/** Empty where nothing was changed. Lines in another order are not a change. */
export function changesOf(sent: AnsweredContent, approved: AnsweredContent): AnswerChange[] {
  const changes = [
    ...lineChanges(sent.items, approved.items),
    ...unexplainedChange(sent, approved),
    ...fieldChange('delivery', OF_DELIVERY, sent, approved),
    ...fieldChange('customer', OF_CUSTOMER, sent, approved),
  ];
  return fitting(changes.slice(0, MAX_ANSWER_CHANGES));
}

function fitting(changes: readonly AnswerChange[]): AnswerChange[] {
  let left = MAX_ANSWER_LENGTH;
  return changes.filter((change) => {
    left -= JSON.stringify(change).length;
    return left >= 0;
  });
}

function lineChanges(sent: readonly AnsweredLine[], approved: readonly AnsweredLine[]): AnswerChange[] {
  const approvedBySent = pairsOf(sent, approved);
  const kept = new Set(approvedBySent);
  const ofSent = sent.flatMap((line, at): AnswerChange[] => {
    const place = approvedBySent[at] ?? null;
    const now = place === null ? undefined : approved[place];
    return now
      ? changesOfLine(at + 1, line, now)
      : [{ kind: 'removed', line: at + 1, from: productOf(line), to: null }];
  });
  const added = approved.flatMap((line, at): AnswerChange[] =>
    kept.has(at) ? [] : [{ kind: 'added', line: at + 1, from: null, to: productOf(line) }],
  );
  return [...ofSent, ...added];
}

function changesOfLine(line: number, sent: AnsweredLine, approved: AnsweredLine): AnswerChange[] {
  const changes: AnswerChange[] = [];
  const differ = (kind: AnswerChangeKind, from: AnswerChange['from'], to: AnswerChange['to']): void => {
    changes.push({ kind, line, from, to });
  };
  if (sent.p1_id !== approved.p1_id) differ('product', productOf(sent), productOf(approved));
  // With its id, a line without a name gets the catalog's: that is not a correction.
  else if (
    sent.name !== approved.name &&
    (sent.p1_id === null || (sent.name !== null && approved.name !== null))
  )
    differ('name', sent.name, approved.name);
  if (sent.quantity !== approved.quantity) differ('quantity', sent.quantity, approved.quantity);
  if (toCents(sent.price) !== toCents(approved.price)) differ('price', sent.price, approved.price);
  return changes;
}

/** Only of what the lines do not explain, such as the delivery: the rest of a total follows its lines. */
function unexplainedChange(sent: AnsweredContent, approved: AnsweredContent): AnswerChange[] {
  if (unexplainedCents(sent) === unexplainedCents(approved)) return [];
  return [{ kind: 'price', line: null, from: sent.total_amount, to: approved.total_amount }];
}

/** Of an offer, whose lines are read beside it: the whole difference. */
export function totalChange(from: number, to: number): AnswerChange[] {
  return toCents(from) === toCents(to) ? [] : [{ kind: 'price', line: null, from, to }];
}

function unexplainedCents({ items, total_amount: total }: AnsweredContent): number {
  return items.reduce((cents, { quantity, price }) => cents - quantity * toCents(price), toCents(total));
}

/** Without values. */
function fieldChange(
  kind: 'delivery' | 'customer',
  names: readonly string[],
  { fields: sent }: AnsweredContent,
  { fields: approved }: AnsweredContent,
): AnswerChange[] {
  const isSame = names.every((name) => textOf(sent[name]) === textOf(approved[name]));
  return isSame ? [] : [{ kind, line: null, from: null, to: null }];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function productOf({ p1_id, name }: AnsweredLine): string | null {
  return p1_id ?? name;
}

/** Two lines with one key are the same line of the request, the strictest key first; null: no key. */
const KEYS: readonly ((line: AnsweredLine) => string | null)[] = [
  (line) => keyOf(identityOf(line), line.name, line.quantity, toCents(line.price)),
  (line) => keyOf(identityOf(line), line.quantity, toCents(line.price)),
  (line) => keyOf(identityOf(line), toCents(line.price)),
  (line) => keyOf(identityOf(line), line.quantity),
  (line) => identityOf(line),
  // One of both may name a product by its id, the other by its name only.
  ({ name }) => name?.trim().toLowerCase() ?? null,
];

function identityOf({ p1_id, name }: AnsweredLine): string {
  return p1_id === null ? `name ${name}` : `id ${p1_id}`;
}

function keyOf(...parts: readonly (string | number | null)[]): string {
  return JSON.stringify(parts);
}

/** For each sent line the place of the approved one that it became; null for a line that was removed. */
function pairsOf(sent: readonly AnsweredLine[], approved: readonly AnsweredLine[]): (number | null)[] {
  const placeOf = sent.map((): number | null => null);
  const isTaken = approved.map(() => false);
  const pair = (at: number, place: number): void => {
    placeOf[at] = place;
    isTaken[place] = true;
  };
  for (const key of KEYS) {
    if (!placeOf.includes(null) || !isTaken.includes(false)) return placeOf;
    const [wanted, given] = [sent.map(key), approved.map(key)];
    // Of equal lines, the one in the same place.
    wanted.forEach((text, at) => {
      if (text !== null && text === given[at] && placeOf[at] === null && !isTaken[at]) pair(at, at);
    });
    const open = new Map<string, number[]>();
    given.forEach((text, place) => {
      if (text === null || isTaken[place]) return;
      const places = open.get(text);
      if (places) places.push(place);
      else open.set(text, [place]);
    });
    wanted.forEach((text, at) => {
      const place = text === null || placeOf[at] !== null ? undefined : open.get(text)?.shift();
      if (place !== undefined) pair(at, place);
    });
  }
  // A line without a pair is another product in the place of the sent one, if it follows the same line.
  sent.forEach((_, at) => {
    const before = at === 0 ? -1 : (placeOf[at - 1] ?? null);
    if (placeOf[at] === null && before !== null && isTaken[before + 1] === false) pair(at, before + 1);
  });
  return placeOf;
}

/** As it is stored and read back. */
export interface Answer {
  corrected: boolean;
  changes: AnswerChange[];
}

export function answerOf(sent: AnsweredContent, approved: AnsweredContent): Answer {
  const changes = changesOf(sent, approved);
  return { corrected: changes.length > 0, changes };
}

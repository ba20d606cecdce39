import { isExpired } from '@offizin/codes/expiry';
import { invalid, type Problem, Refused } from '@offizin/contracts/calls/errors';
import { MAX_LOTS_BYTES, type OrderLot, type OrderLotBody } from '@offizin/contracts/orders/lots';
import type { StoredItem } from './order-patch';

/**
 * Lots of an order. A stored lot (core.order_lots) names its product, and the line that the product had. Lines are replaced by
 * every upsert, so the line is found again when the lots are read: a change of the lines writes no lots.
 */

interface PackedOrder {
  items: readonly StoredItem[];
  /** As stored; null for none. */
  lots: readonly OrderLot[] | null;
}

export function lotsAsRead({ items, lots }: PackedOrder): OrderLot[] {
  return (lots ?? []).map((lot) => ({ ...lot, line: lineOf(lot, items) }));
}

type Product = Pick<OrderLot, 'p1_id' | 'name'>;

/** Its line if that still has the product, else the first one that does. */
function lineOf(lot: OrderLot, items: readonly StoredItem[]): number | null {
  const line = lot.line === null ? undefined : items[lot.line - 1];
  if (line && isSameProduct(line, lot)) return lot.line;
  const place = items.findIndex((item) => isSameProduct(item, lot));
  return place === -1 ? null : place + 1;
}

/** A line without a product id is known by its name. */
function isSameProduct(one: Product, other: Product): boolean {
  return one.p1_id === other.p1_id && (one.p1_id !== null || one.name === other.name);
}

/** What is to be stored, with lines as they are now. Throws `Refused` (invalid_request, lot_expired). */
export function lotsToStore(order: PackedOrder, given: readonly OrderLotBody[], now: Date): OrderLot[] {
  const before = lotsAsRead(order);
  const { lots, problems } = withProducts(order.items, given, before);
  if (problems.length > 0) throw invalid(problems);
  const bytes = Buffer.byteLength(JSON.stringify(lots));
  if (bytes > MAX_LOTS_BYTES) {
    const message = `would have ${bytes} bytes of JSON as answered, and may have at most ${MAX_LOTS_BYTES}`;
    throw invalid([{ field: 'lots', message }]);
  }
  const added = addedTo(before, lots, (one) => [one.lot, one.expires_on]);
  for (const lot of added) {
    const { expires_on: day } = lot;
    if (day === null || !isExpired(day, now)) continue;
    throw new Refused(
      'lot_expired',
      `${lotAndLine(lot)} was good until ${day}: take another pack, or correct the day.`,
    );
  }
  return lots;
}

function withProducts(
  items: readonly StoredItem[],
  given: readonly OrderLotBody[],
  before: readonly OrderLot[],
): { lots: OrderLot[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const withoutLine = before.filter(({ line }) => line === null);
  const packed = new Map<number, number>();
  const lots = given.flatMap((entry, index): OrderLot[] => {
    const { line, lot, expires_on = null, test_number = null, quantity } = entry;
    const refuse = (field: 'line' | 'quantity', message: string): OrderLot[] => {
      problems.push({ field: `lots[${index}].${field}`, message });
      return [];
    };
    if (line === null) {
      const kept = taken(withoutLine, entry);
      if (!kept)
        return refuse(
          'line',
          'must be given: the order has no such lot of a product that is no longer in it',
        );
      if (quantity > kept.quantity)
        return refuse('quantity', `must not be more than the ${kept.quantity} that were packed`);
      return [{ ...kept, expires_on, test_number, quantity }];
    }
    const item = items[line - 1];
    if (!item)
      return refuse(
        'line',
        items.length === 0 ? 'is none: the order is empty' : `must be from 1 to ${items.length}`,
      );
    if (!isOf(item, entry))
      return refuse('line', 'has another product: read the order again, or leave p1_id and name out');
    const sum = (packed.get(line) ?? 0) + quantity;
    packed.set(line, sum);
    if (sum > item.quantity) {
      const message = `must not be more than was ordered: line ${line} has ${item.quantity}, and its lots have ${sum}`;
      return refuse('quantity', message);
    }
    // A lot keeps the name that its product had when it was packed.
    const { p1_id, name } = before.find((one) => one.line === line && one.lot === lot) ?? item;
    return [{ line, p1_id, name, lot, expires_on, test_number, quantity }];
  });
  return { lots, problems };
}

/** What is left out is not compared. */
function isOf(product: Product, { p1_id = product.p1_id, name = product.name }: OrderLotBody): boolean {
  return isSameProduct(product, { p1_id, name });
}

/** The first of this lot, which is then no longer in the list. */
function taken(from: OrderLot[], wanted: OrderLotBody): OrderLot | undefined {
  const place = from.findIndex((one) => one.lot === wanted.lot && isOf(one, wanted));
  return place === -1 ? undefined : from.splice(place, 1)[0];
}

/**
 * What was there before stays, whatever happened to its lot; more pieces of it are new ones. `keyOf` says which entries of a
 * product count as the same.
 */
export function addedTo(
  before: readonly OrderLot[],
  lots: readonly OrderLot[],
  keyOf: (lot: OrderLot) => unknown[],
): OrderLot[] {
  const left = new Map<string, number>();
  const remaining = (lot: OrderLot, pieces: number): number => {
    const key = JSON.stringify([lot.p1_id, lot.p1_id === null && lot.name, ...keyOf(lot)]);
    const rest = (left.get(key) ?? 0) + pieces;
    left.set(key, rest);
    return rest;
  };
  for (const lot of before) remaining(lot, lot.quantity);
  return lots.filter((lot) => remaining(lot, -lot.quantity) < 0);
}

/** For a sentence: `Lot CH4711 of line 1`. */
export function lotAndLine({ lot, line }: OrderLot): string {
  return line === null ? `Lot ${lot}` : `Lot ${lot} of line ${line}`;
}

/** For the history: `1: 2 × CH4711 2027-01-31, 3: 1 × 0815`. */
export function lotsText(lots: readonly OrderLot[]): string | null {
  const texts = lots.map((lot) => `${lot.line ?? lot.p1_id ?? lot.name ?? '?'}: ${lotText(lot)}`);
  return texts.length === 0 ? null : texts.join(', ');
}

/** `2 × CH4711 2027-01-31 P-12`: pieces, lot, last day, test number. */
export function lotText({ quantity, lot, expires_on: day, test_number: test }: OrderLot): string {
  return [`${quantity} × ${lot}`, day, test].filter((part) => part !== null).join(' ');
}

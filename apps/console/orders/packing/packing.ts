import type { OrderStatus } from '@offizin/contracts/orders/orders';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { differences } from '../orders/order-change';
import { isSameLot, isSameLots, type LotOfPacks } from '../orders/order-lots';

/** The pieces in the parcel. */
export interface Packing {
  /** The order as it was when packing began. */
  seen: PipelineOrder;
  /** In the order in which they were counted. */
  packs: readonly Pack[];
  /** Lots that the order had already; those of a line count until the line gets one now. */
  before: PipelineOrder['lots'];
  /** Those that a person has removed. */
  removed: readonly LotOfLine[];
}

/** `line`: its place, from 0. */
export interface LotOfLine {
  line: number;
  lot: LotOfPacks;
}

/** Pieces of one line and one lot. */
export interface Pack {
  /** Place of the line, from 0. */
  line: number;
  quantity: number;
  /** Null: it was neither scanned nor typed. */
  lot: LotOfPacks | null;
}

export function beginPacking(order: PipelineOrder): Packing {
  return { seen: order, packs: [], before: order.lots, removed: [] };
}

/** Never below nothing, never above what was ordered. The pieces that came last are taken out first, with their lot. */
export function countBy(packing: Packing, line: number, by: number): Packing {
  if (by < 0) return { ...packing, packs: without(packing.packs, line, -by) };
  const quantity = Math.min(by, missing(packing, line));
  return withPieces(packing, { line, quantity, lot: null });
}

/** The lot of pieces that are counted already without one, and then of further ones; up to what was ordered. */
export function withLot(packing: Packing, { line, quantity, lot }: Pack): Packing {
  const isBare = (pack: Pack) => pack.line === line && pack.lot === null;
  const bare = sum(packing.packs.filter(isBare));
  const others = { ...packing, packs: packing.packs.filter((pack) => !isBare(pack)) };
  const given = Math.min(quantity, missing(others, line));
  const rest = withPieces(others, { line, quantity: Math.max(0, bare - given), lot: null });
  return withPieces(rest, { line, quantity: given, lot });
}

/** The pieces stay counted. */
export function withoutLot(packing: Packing, line: number, lot: LotOfPacks): Packing {
  const isIt = (pack: Pack) => pack.line === line && pack.lot !== null && isSameLot(pack.lot, lot);
  const [taken, packs] = [packing.packs.filter(isIt), packing.packs.filter((pack) => !isIt(pack))];
  const before = packing.before.filter((one) => one.line !== line + 1 || !isSameLot(one, lot));
  const hadIt = before.length < packing.before.length;
  const removed = hadIt ? [...packing.removed, { line, lot }] : packing.removed;
  return withPieces({ ...packing, packs, before, removed }, { line, quantity: sum(taken), lot: null });
}

/** On top of those of the line. */
export function withPieces(packing: Packing, added: Pack): Packing {
  const { line, quantity, lot } = added;
  if (quantity === 0) return packing;
  const at = packing.packs.findLastIndex((pack) => pack.line === line);
  const last = packing.packs[at];
  const isMore = last && (lot === null || last.lot === null ? lot === last.lot : isSameLot(lot, last.lot));
  const packs = isMore
    ? packing.packs.with(at, { ...last, quantity: last.quantity + quantity })
    : [...packing.packs, added];
  return { ...packing, packs };
}

/** Without the last pieces of the line. */
function without(packs: readonly Pack[], line: number, quantity: number): Pack[] {
  let left = quantity;
  const kept = packs.toReversed().flatMap((pack) => {
    if (pack.line !== line) return [pack];
    const taken = Math.min(left, pack.quantity);
    left -= taken;
    return taken === pack.quantity ? [] : [{ ...pack, quantity: pack.quantity - taken }];
  });
  return kept.toReversed();
}

function sum(packs: readonly Pick<Pack, 'quantity'>[]): number {
  return packs.reduce((total, { quantity }) => total + quantity, 0);
}

export function countOf({ packs }: Packing, line: number): number {
  return sum(packs.filter((pack) => pack.line === line));
}

export function missing(packing: Packing, line: number): number {
  return (packing.seen.items[line]?.quantity ?? 0) - countOf(packing, line);
}

/** Packs of one lot in a line. */
export interface LineLot extends LotOfPacks {
  quantity: number;
  /** The order had it before this packing. */
  isBefore: boolean;
}

/** The lots of a line that are written when the order is packed. */
export function lotsOf(packing: Packing, line: number): LineLot[] {
  const lots: LineLot[] = [];
  for (const { lot, quantity } of packing.packs.filter((pack) => pack.line === line)) {
    if (lot === null) continue;
    const same = lots.find((one) => isSameLot(one, lot));
    if (same) same.quantity += quantity;
    else lots.push({ ...lot, quantity, isBefore: false });
  }
  return lots.length > 0 ? lots : lotsBefore(packing, line);
}

/** Not more than is ordered now. */
function lotsBefore({ seen, before }: Packing, line: number): LineLot[] {
  let room = seen.items[line]?.quantity ?? 0;
  return before.flatMap((one) => {
    const { lot, expires_on, test_number } = one;
    const quantity = one.line === line + 1 ? Math.min(room, one.quantity) : 0;
    room -= quantity;
    return quantity === 0 ? [] : [{ lot, expires_on, test_number, quantity, isBefore: true }];
  });
}

/** Counted pieces of the line without a lot. */
export function withoutLots(packing: Packing, line: number): number {
  return Math.max(0, countOf(packing, line) - sum(lotsOf(packing, line)));
}

/** Pieces of the line that a lot can still be typed for. */
export function roomForLot({ seen, packs }: Packing, line: number): number {
  const known = packs.filter((pack) => pack.line === line && pack.lot !== null);
  return (seen.items[line]?.quantity ?? 0) - sum(known);
}

/** All lots of the order as it is packed. The server compares the product with that of the line. */
export function lotsToWrite(packing: Packing): PipelineOrder['lots'] {
  const ofLines = packing.seen.items.flatMap(({ p1_id, name }, line) =>
    lotsOf(packing, line).map(({ isBefore: _, ...lot }) => ({ line: line + 1, p1_id, name, ...lot })),
  );
  return [...ofLines, ...packing.before.filter(({ line }) => line === null)];
}

/** Lines with pieces without a lot. */
export function linesWithoutLots(packing: Packing): number {
  return packing.seen.items.filter((_, line) => withoutLots(packing, line) > 0).length;
}

/** Lines that are not complete. */
export function openLines(packing: Packing): number {
  return packing.seen.items.filter((_, line) => missing(packing, line) > 0).length;
}

/** An order without lines is never complete: there was nothing to check. */
export function isComplete(packing: Packing): boolean {
  return packing.seen.items.length > 0 && openLines(packing) === 0;
}

export function hasBegun({ packs, removed }: Pick<Packing, 'packs' | 'removed'>): boolean {
  return packs.length + removed.length > 0;
}

/**
 * With a newer version that packing goes on by itself: only the parcels differ, which are not counted, or the lots are those
 * that this packing has written.
 */
export function withOwnChanges(packing: Packing, present: PipelineOrder): Packing {
  if (packing.seen.version === present.version) return packing;
  const isOwn = differences(packing.seen, present).every(
    ({ field }) =>
      field === 'parcels' || (field === 'lots' && isSameLots(lotsToWrite(packing), present.lots)),
  );
  return isOwn ? { ...packing, seen: present } : packing;
}

/** Continues with a newer version: counted pieces stay counted, up to the new quantities, and removed lots stay removed. */
export function goOnWith(packing: Packing, present: PipelineOrder): Packing {
  const { items } = packing.seen;
  return continued(packing, present, placesOf(items.map(lineKey), present.items.map(lineKey)));
}

/** Where each key was before, each place once; -1 for a new one. */
export function placesOf(before: readonly string[], now: readonly string[]): number[] {
  const left = before.map((key, place) => ({ key, place }));
  return now.map((key) => {
    const at = left.findIndex((one) => one.key === key);
    return at === -1 ? -1 : (left.splice(at, 1)[0]?.place ?? -1);
  });
}

/** `places`: of each line, where it was when the pieces were counted. */
export function continued(
  { packs, removed }: Pick<Packing, 'packs' | 'removed'>,
  present: PipelineOrder,
  places: readonly number[],
): Packing {
  const begun = removed.reduce(
    (packing, { line, lot }) => withoutLot(packing, places.indexOf(line), lot),
    beginPacking(present),
  );
  return packs.reduce((packing, pack) => {
    const line = places.indexOf(pack.line);
    const quantity = Math.min(pack.quantity, Math.max(0, missing(packing, line)));
    return line === -1 ? packing : withPieces(packing, { ...pack, line, quantity });
  }, begun);
}

/** The status of a packed order; the present one where the workflow of the organization allows no step. */
export function packedStatus({
  status,
  shipping_option: shipping,
  next_statuses: next,
}: PipelineOrder): OrderStatus {
  const wanted = shipping === 'Abholung' ? 'ready_pickup' : 'shipped';
  return next.includes(wanted) ? wanted : status;
}

function lineKey({ p1_id: id, name }: { p1_id: string | null; name: string | null }): string {
  return `${id ?? ''} ${name ?? ''}`;
}

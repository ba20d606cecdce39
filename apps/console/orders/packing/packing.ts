import { isExpired } from '@offizin/codes/expiry';
import { lookedUpAs } from '@offizin/codes/product-numbers';
import type { Scan, Unreadable } from '@offizin/codes/scan';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import type { InventoryRow } from '@offizin/contracts/products/inventory';
import { differences } from '../orders/order-change';

/** The pieces in the parcel, by the place of the line; `seen` is the order as it was when packing began. */
export interface Packing {
  seen: PipelineOrder;
  counts: readonly number[];
}

export type ScanResult =
  | { kind: 'counted'; line: number; packing: Packing }
  | { kind: 'full'; line: number }
  /** `day`: the last good one. */
  | { kind: 'expired'; line: number; day: string }
  /** `product`: its name, where the pharmacy has it. */
  | { kind: 'wrong'; product: string | null }
  /** It names two products of the order. */
  | { kind: 'unclear' }
  | { kind: 'unreadable'; because: Unreadable };

/** A code as it arrived, what it says, and the products that have it. */
export interface ScannedCode {
  code: string;
  scan: Scan;
  found: readonly Pick<InventoryRow, 'p1_id' | 'name'>[];
  nowMs: number;
}

/** The codes to look up: the first that a product has decides. */
export function codesIn(scan: Scan): string[] {
  if (scan.kind === 'p1_id' || scan.kind === 'unreadable') return [];
  // Eight digits that are both are one question.
  if (scan.kind === 'pzn_or_gtin') return [scan.pzn];
  return [scan.pzn, scan.gtin].filter((code) => code !== undefined);
}

/** Whether the product has the code. A PZN is not a GTIN of the same eight digits. */
export function isOf({ pzn, codes }: Pick<InventoryRow, 'pzn' | 'codes'>, scan: Scan): boolean {
  if (scan.kind === 'p1_id' || scan.kind === 'unreadable') return false;
  const named = [scan.pzn, ...(scan.gtin === undefined ? [] : lookedUpAs(scan.gtin))];
  const own = [pzn, ...codes.flatMap(lookedUpAs)];
  return own.some((code) => code !== null && named.includes(code));
}

export function beginPacking(order: PipelineOrder): Packing {
  return { seen: order, counts: order.items.map(() => 0) };
}

/** One piece by a code of its product, or by the catalog product id. A product on several lines fills the first of them. */
export function countScan(packing: Packing, { code, scan, found, nowMs }: ScannedCode): ScanResult {
  const ids = [code, ...(scan.kind === 'p1_id' ? [scan.p1_id] : []), ...found.map(({ p1_id: id }) => id)];
  const wanted = new Set(ids.map(comparable));
  const { items } = packing.seen;
  const lines = items.flatMap(({ p1_id: id }, line) =>
    id !== null && wanted.has(comparable(id)) ? [line] : [],
  );
  const [first] = lines;
  if (first === undefined)
    return scan.kind === 'unreadable' ? scan : { kind: 'wrong', product: found[0]?.name ?? null };
  if (lines.some((line) => items[line]?.p1_id !== items[first]?.p1_id)) return { kind: 'unclear' };
  const day = 'expires_on' in scan ? scan.expires_on : undefined;
  if (day !== undefined && isExpired(day, nowMs)) return { kind: 'expired', line: first, day };
  const open = lines.find((line) => missing(packing, line) > 0);
  return open === undefined
    ? { kind: 'full', line: first }
    : { kind: 'counted', line: open, packing: countBy(packing, open, 1) };
}

/** Never below nothing, never above what was ordered. */
export function countBy(packing: Packing, line: number, by: number): Packing {
  const most = packing.seen.items[line]?.quantity ?? 0;
  const counts = packing.counts.map((count, at) =>
    at === line ? Math.max(0, Math.min(most, count + by)) : count,
  );
  return { ...packing, counts };
}

export function missing({ seen, counts }: Packing, line: number): number {
  return (seen.items[line]?.quantity ?? 0) - (counts[line] ?? 0);
}

/** Lines that are not complete. */
export function openLines(packing: Packing): number {
  return packing.seen.items.filter((_, line) => missing(packing, line) > 0).length;
}

/** An order without lines is never complete: there was nothing to check. */
export function isComplete(packing: Packing): boolean {
  return packing.seen.items.length > 0 && openLines(packing) === 0;
}

export function hasBegun({ counts }: Packing): boolean {
  return counts.some((count) => count > 0);
}

/** Parcels are not counted: with a version that differs in them alone, packing goes on by itself. */
export function withParcelsOf(packing: Packing, present: PipelineOrder): Packing {
  if (packing.seen.version === present.version) return packing;
  const isSame = differences(packing.seen, present).every(({ field }) => field === 'parcels');
  return isSame ? { ...packing, seen: present } : packing;
}

/** Continues with a newer version: counted pieces stay counted, up to the new quantities. */
export function goOnWith({ seen, counts }: Packing, present: PipelineOrder): Packing {
  const left = seen.items.map((item, line) => ({ key: lineKey(item), count: counts[line] ?? 0 }));
  const carried = present.items.map((item) => {
    const place = left.findIndex(({ key }) => key === lineKey(item));
    const [same] = place === -1 ? [] : left.splice(place, 1);
    return Math.min(item.quantity, same?.count ?? 0);
  });
  return { seen: present, counts: carried };
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

/** Scanners differ in capitals. */
function comparable(code: string): string {
  return code.normalize('NFC').trim().toLowerCase();
}

import { isExpired } from '@offizin/codes/expiry';
import { lotOf } from '@offizin/codes/lot';
import type { Scan, Unreadable } from '@offizin/codes/scan';
import type { LotHold } from '@offizin/contracts/orders/lot-holds';
import type { InventoryRow } from '@offizin/contracts/products/inventory';
import { lotsOf, missing, type Packing, withPieces } from './packing';

/** What a scanned code does to a packing. */

export type Hold = Pick<LotHold, 'p1_id' | 'lot' | 'reason'>;

/** Why no pack of a lot may go into the parcel. `day`: the last good one. */
export type LotProblem = { kind: 'expired'; day: string } | { kind: 'held'; lot: string; reason: string };

export type ScanResult =
  | { kind: 'counted'; line: number; packing: Packing }
  | { kind: 'full'; line: number }
  | (LotProblem & { line: number })
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
  holds: readonly Hold[];
  nowMs: number;
}

/**
 * One piece with its lot, by a code of its product or by the catalog product id. A product on several lines fills the first of
 * them.
 */
export function countScan(packing: Packing, { code, scan, found, holds, nowMs }: ScannedCode): ScanResult {
  const ids = [code, ...(scan.kind === 'p1_id' ? [scan.p1_id] : []), ...found.map(({ p1_id: id }) => id)];
  const wanted = new Set(ids.map(comparable));
  const { items } = packing.seen;
  const lines = items.flatMap(({ p1_id: id }, line) =>
    id !== null && wanted.has(comparable(id)) ? [line] : [],
  );
  const [first] = lines;
  if (first === undefined)
    return scan.kind === 'unreadable' ? scan : { kind: 'wrong', product: found[0]?.name ?? null };
  const p1Id = items[first]?.p1_id ?? null;
  if (lines.some((line) => items[line]?.p1_id !== p1Id)) return { kind: 'unclear' };
  const pack = printedOn(scan);
  const problem = problemOf(pack, { p1Id, holds, nowMs });
  if (problem) return { ...problem, line: first };
  const open = lines.find((line) => missing(packing, line) > 0);
  if (open === undefined) return { kind: 'full', line: first };
  const { lot, ...rest } = pack;
  const added = { line: open, quantity: 1, lot: lot === null ? null : { lot, ...rest, test_number: null } };
  return { kind: 'counted', line: open, packing: withPieces(packing, added) };
}

function printedOn(scan: Scan): { lot: string | null; expires_on: string | null } {
  const { lot, expires_on } = 'lot' in scan || 'expires_on' in scan ? scan : {};
  return { lot: lot === undefined ? null : lotOf(lot), expires_on: expires_on ?? null };
}

interface Judged {
  p1Id: string | null;
  holds: readonly Hold[];
  nowMs: number;
}

export function problemOf(
  { lot, expires_on: day }: { lot: string | null; expires_on: string | null },
  { p1Id, holds, nowMs }: Judged,
): LotProblem | null {
  if (day !== null && isExpired(day, nowMs)) return { kind: 'expired', day };
  return lot === null ? null : heldBy(lot, p1Id, holds);
}

/** As the server judges: a line without a product id may be of any product, so that each hold of the lot's number counts. */
export function heldBy(
  lot: string,
  p1Id: string | null,
  holds: readonly Hold[],
): Extract<LotProblem, { kind: 'held' }> | null {
  const held = holds.find((hold) => hold.lot === lot && (p1Id ?? hold.p1_id) === hold.p1_id);
  return held ? { kind: 'held', lot, reason: held.reason } : null;
}

/** Of all lots that go out with the order: the server does not judge again those that the order had before. Null for none. */
export function firstProblem(
  packing: Packing,
  judged: Omit<Judged, 'p1Id'>,
): (LotProblem & { line: number; lot: string }) | null {
  for (const [line, { p1_id: p1Id }] of packing.seen.items.entries()) {
    for (const pack of lotsOf(packing, line)) {
      const problem = problemOf(pack, { ...judged, p1Id });
      if (problem) return { ...problem, line, lot: pack.lot };
    }
  }
  return null;
}

/** Scanners differ in capitals. */
function comparable(code: string): string {
  return code.normalize('NFC').trim().toLowerCase();
}

import type { LotHold } from '@offizin/contracts/orders/lot-holds';
import type { ScannedProduct } from '../keyboard/scanned-product';

/** Why a pack must not be sold. `unknown`: whether its lot is on hold. `day`: the last good one. */
export type PackHint =
  | { kind: 'expired'; day: string }
  | { kind: 'held'; lot: string; reason: string }
  | { kind: 'unknown'; lot: string };

type ScannedPack = Pick<Extract<ScannedProduct, { kind: 'product' }>, 'product' | 'lot' | 'expired'>;

/** `holds`: null where they could not be read. */
export function hintsOf(
  { product, lot, expired: day }: ScannedPack,
  holds: readonly Pick<LotHold, 'p1_id' | 'lot' | 'reason'>[] | null,
): PackHint[] {
  const held = holds?.find((hold) => hold.p1_id === product.p1_id && hold.lot === lot);
  return [
    ...(held ? [{ kind: 'held' as const, lot: held.lot, reason: held.reason }] : []),
    ...(holds === null && lot !== undefined ? [{ kind: 'unknown' as const, lot }] : []),
    ...(day === null ? [] : [{ kind: 'expired' as const, day }]),
  ];
}

import { type LotHold, MAX_LOT_HOLDS } from '@offizin/contracts/orders/lot-holds';
import type { OrderLot } from '@offizin/contracts/orders/lots';
import type { Sql } from '@offizin/pg/database';
import { isHitOf, rowOf, rowsOf, type Timed } from '@offizin/pg/queries';
import type { LotHoldEntity } from '../../db/entities';

export type HoldRow = Timed<LotHold, 'held_at'>;

const COLUMNS = 'h.id, h.p1_id, h.lot, h.reason, h.held_by, h.held_at';

/** The newest first. */
export const holdsOf = rowsOf<HoldRow, [orgId: string]>(
  'lot_holds_list',
  `SELECT ${COLUMNS} FROM core.lot_holds h WHERE h.org_id = $1 ORDER BY h.held_at DESC, h.id DESC LIMIT ${MAX_LOT_HOLDS}`,
);

export const findHold = rowOf<HoldRow, Pick<LotHoldEntity, 'org_id' | 'lot' | 'p1_id'>>(
  'lot_hold_find',
  `SELECT ${COLUMNS} FROM core.lot_holds h WHERE h.org_id = $org_id AND h.lot = $lot AND h.p1_id = $p1_id`,
);

export const insertHold = rowOf<HoldRow, Omit<LotHoldEntity, 'held_at'>>(
  'lot_hold_insert',
  `INSERT INTO core.lot_holds AS h (id, org_id, p1_id, lot, reason, held_by)
   VALUES ($id, $org_id, $p1_id, $lot, $reason, $held_by) RETURNING ${COLUMNS}`,
);

/** The organization must be locked before, so that the number of its holds does not change. */
export const hasRoomForHold = isHitOf<[orgId: string]>(
  'lot_holds_room',
  `SELECT 1 WHERE (SELECT count(*) FROM core.lot_holds WHERE org_id = $1) < ${MAX_LOT_HOLDS}`,
);

export const deleteHold = rowOf<Pick<LotHoldEntity, 'id'>, [orgId: string, id: string]>(
  'lot_hold_delete',
  `DELETE FROM core.lot_holds WHERE org_id = $1 AND id = $2 RETURNING id`,
);

const heldOf = rowsOf<
  Pick<LotHoldEntity, 'p1_id' | 'lot' | 'reason'>,
  { orgId: string; p1Ids: (string | null)[]; lots: string[] }
>(
  'lot_holds_among',
  `SELECT h.p1_id, h.lot, h.reason FROM core.lot_holds h
   WHERE h.org_id = $orgId AND EXISTS (
     SELECT FROM unnest($p1Ids::text[], $lots::text[]) AS packed (p1_id, lot)
     WHERE packed.lot = h.lot AND (packed.p1_id = h.p1_id OR packed.p1_id IS NULL))`,
);

/**
 * The first of these lots that is on hold, and why; null for none. A line without a product id may be of any product, so that
 * the hold of a lot of this number counts for it.
 */
export async function heldAmong(
  tx: Sql,
  orgId: string,
  lots: readonly OrderLot[],
): Promise<{ lot: OrderLot; reason: string } | null> {
  if (lots.length === 0) return null;
  const packed = { p1Ids: lots.map(({ p1_id: p1Id }) => p1Id), lots: lots.map(({ lot }) => lot) };
  const held = await heldOf(tx, { orgId, ...packed });
  for (const lot of lots) {
    const hold = held.find((one) => one.lot === lot.lot && (lot.p1_id ?? one.p1_id) === one.p1_id);
    if (hold) return { lot, reason: hold.reason };
  }
  return null;
}

import { type Sql, statement } from '@offizin/pg/database';
import { valueOf } from '@offizin/pg/queries';
import { productColumns } from '../db/effective-product';
import type { InventoryItemRow, ShopProductRow } from '../db/entities';
import { SCHEMA } from '../db/schema';

/** Stock of the product; null if not in the inventory. */
export const stockOf = valueOf<InventoryItemRow['stock_quantity'] | null, [orgId: string, p1Id: string]>(
  'shop_product_stock',
  `SELECT stock_quantity FROM ${SCHEMA}.inventory WHERE org_id = $1 AND p1_id = $2`,
  null,
);

export type LockedShopProduct = Pick<ShopProductRow, 'attached' | 'overrides'>;

const lockOrMake = statement<LockedShopProduct, [string, string, string]>(
  'shop_product_lock_or_make',
  `INSERT INTO ${SCHEMA}.shop_products AS s (org_id, shop_id, p1_id, attached) VALUES ($1, $2, $3, false)
   ON CONFLICT (org_id, shop_id, p1_id) DO UPDATE SET attached = s.attached
   RETURNING attached, overrides`,
);

/** The row of product and shop, created if missing, and locked: exactly one concurrent attach is the first. */
export async function lockOrMakeShopProduct(
  tx: Sql,
  orgId: string,
  shopId: string,
  p1Id: string,
): Promise<LockedShopProduct> {
  const [row] = await tx.rows(lockOrMake, orgId, shopId, p1Id);
  return row ?? { attached: false, overrides: {} };
}

export interface ShopProductKey {
  orgId: string;
  shopId: string;
  p1Id: string;
}

export type AttachedProduct = Pick<
  ShopProductRow,
  'org_id' | 'shop_id' | 'p1_id' | 'overrides' | 'event_sequence'
>;

const lockAttached = statement<AttachedProduct, [string[], string[], string[]]>(
  'shop_product_lock',
  `SELECT s.org_id, s.shop_id, s.p1_id, s.overrides, s.event_sequence
   FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS asked (org_id, shop_id, p1_id)
   JOIN ${SCHEMA}.shop_products s
     ON s.org_id = asked.org_id AND s.shop_id = asked.shop_id AND s.p1_id = asked.p1_id AND s.attached
   ORDER BY s.org_id, s.shop_id, s.p1_id
   FOR NO KEY UPDATE OF s`,
);

/** The locked rows of those that are attached. Call it once per transaction. */
export async function lockAttachedProducts(
  tx: Sql,
  requested: readonly ShopProductKey[],
): Promise<AttachedProduct[]> {
  const [orgIds, shopIds] = [requested.map(({ orgId }) => orgId), requested.map(({ shopId }) => shopId)];
  const p1Ids = requested.map(({ p1Id }) => p1Id);
  return tx.rows(lockAttached, orgIds, shopIds, p1Ids);
}

/** Writes a locked row; returns the sequence of the event about it. `overrides` is JSON text. */
export const writeShopProduct = valueOf<
  ShopProductRow['event_sequence'],
  { orgId: string; shopId: string; p1Id: string; attached: boolean; overrides: string }
>(
  'shop_product_write',
  `UPDATE ${SCHEMA}.shop_products
   SET attached = $attached, overrides = $overrides::jsonb, event_sequence = event_sequence + 1,
     updated_at = clock_timestamp()
   WHERE org_id = $orgId AND shop_id = $shopId AND p1_id = $p1Id
   RETURNING event_sequence`,
  0,
);

/** ShopProductResponse of a row `s`. */
const REPLY = `SELECT json_build_object(
     'shop_id', s.shop_id, 'p1_id', s.p1_id, 'overrides', s.overrides,
     'product', (SELECT row_to_json(product) FROM (SELECT ${productColumns('shop')}) AS product)
   )::text AS json`;
const LAYERS = `JOIN ${SCHEMA}.inventory i ON i.org_id = s.org_id AND i.p1_id = s.p1_id
   JOIN ${SCHEMA}.products p ON p.p1_id = s.p1_id`;

/** ShopProductResponse as JSON text. */
export const shopProductReplyJson = valueOf<string, [orgId: string, shopId: string, p1Id: string]>(
  'shop_product_reply',
  `${REPLY}
   FROM ${SCHEMA}.shop_products s ${LAYERS}
   WHERE s.org_id = $1 AND s.shop_id = $2 AND s.p1_id = $3`,
  '',
);

const writeOverrides = statement<{ json: string }, [string, string]>(
  'shop_products_override',
  `WITH written AS (
     UPDATE ${SCHEMA}.shop_products s
     SET overrides = next.overrides, event_sequence = next.event_sequence, updated_at = clock_timestamp()
     FROM json_to_recordset($1::json)
       AS next (org_id uuid, shop_id uuid, p1_id text, overrides jsonb, event_sequence int)
     WHERE s.org_id = next.org_id AND s.shop_id = next.shop_id AND s.p1_id = next.p1_id
   )
   ${REPLY}
   FROM json_to_recordset($2::json) AS s (place int, org_id uuid, shop_id uuid, p1_id text, overrides jsonb)
   ${LAYERS}
   ORDER BY s.place`,
);

/**
 * Writes locked rows. Returns a ShopProductResponse as JSON text for each of `shown`, in their order: each caller sees
 * the overrides that its own call made.
 */
export async function writeOverriddenProducts(
  tx: Sql,
  written: readonly AttachedProduct[],
  shown: readonly AttachedProduct[],
): Promise<string[]> {
  const numbered = shown.map((row, place) => ({ place, ...row }));
  const rows = await tx.rows(writeOverrides, JSON.stringify(written), JSON.stringify(numbered));
  if (rows.length < shown.length) throw new Error('the database returned no reply for an overridden product');
  return rows.map(({ json }) => json);
}

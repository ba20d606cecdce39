import { type Sql, statement } from '@offizin/pg/database';
import { productColumns } from '../db/effective-product';
import { SCHEMA } from '../db/schema';
import type { Overrides } from './overrides';

const stock = statement<{ stock_quantity: number }, [string, string]>(
  'shop_product_stock',
  `SELECT stock_quantity FROM ${SCHEMA}.inventory WHERE org_id = $1 AND p1_id = $2`,
);

/** Stock of the product; null if not in the inventory. */
export async function stockOf(tx: Sql, orgId: string, p1Id: string): Promise<number | null> {
  const [row] = await tx.rows(stock, orgId, p1Id);
  return row?.stock_quantity ?? null;
}

export interface LockedShopProduct {
  attached: boolean;
  overrides: Overrides;
}

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

const lockAttached = statement<LockedShopProduct, [string, string, string]>(
  'shop_product_lock',
  `SELECT attached, overrides FROM ${SCHEMA}.shop_products
   WHERE org_id = $1 AND shop_id = $2 AND p1_id = $3 AND attached
   FOR NO KEY UPDATE`,
);

/** The locked row of an attached product; null if not attached. */
export async function lockAttachedProduct(
  tx: Sql,
  orgId: string,
  shopId: string,
  p1Id: string,
): Promise<LockedShopProduct | null> {
  const [row] = await tx.rows(lockAttached, orgId, shopId, p1Id);
  return row ?? null;
}

const write = statement<{ event_sequence: number }, [string, string, string, boolean, string]>(
  'shop_product_write',
  `UPDATE ${SCHEMA}.shop_products
   SET attached = $4, overrides = $5::jsonb, event_sequence = event_sequence + 1, updated_at = clock_timestamp()
   WHERE org_id = $1 AND shop_id = $2 AND p1_id = $3
   RETURNING event_sequence`,
);

/** Writes a locked row; returns the sequence of the event about it. */
export async function writeShopProduct(
  tx: Sql,
  orgId: string,
  shopId: string,
  p1Id: string,
  next: LockedShopProduct,
): Promise<number> {
  const overrides = JSON.stringify(next.overrides);
  const [row] = await tx.rows(write, orgId, shopId, p1Id, next.attached, overrides);
  return row?.event_sequence ?? 0;
}

const reply = statement<{ json: string }, [string, string, string]>(
  'shop_product_reply',
  `SELECT json_build_object(
     'shop_id', s.shop_id, 'p1_id', s.p1_id, 'overrides', s.overrides,
     'product', (SELECT row_to_json(product) FROM (SELECT ${productColumns('shop')}) AS product)
   )::text AS json
   FROM ${SCHEMA}.shop_products s
   JOIN ${SCHEMA}.inventory i ON i.org_id = s.org_id AND i.p1_id = s.p1_id
   JOIN ${SCHEMA}.products p ON p.p1_id = s.p1_id
   WHERE s.org_id = $1 AND s.shop_id = $2 AND s.p1_id = $3`,
);

/** ShopProductResponse as JSON text. */
export async function shopProductReplyJson(
  tx: Sql,
  orgId: string,
  shopId: string,
  p1Id: string,
): Promise<string> {
  const [row] = await tx.rows(reply, orgId, shopId, p1Id);
  return row?.json ?? '';
}

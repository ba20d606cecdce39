import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, type NotNull, valueOf } from '@offizin/pg/queries';
import type { Organization, StockClaimEntity } from '../../db/entities';

/**
 * Claims of orders whose stock follows their lines. A claim becomes void like an approval attempt (decision 0004). Its
 * id is inserted once, by the order that commits it or by a settle call; the first insert wins. Rows are never
 * deleted: the catalog may ask about a hold after any time.
 */
const commit = statement<Pick<StockClaimEntity, 'id'>, [string, string]>(
  'stock_claim_commit',
  `INSERT INTO core.stock_claims (id, order_id) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT stock_claims_pkey DO NOTHING
   RETURNING id`,
);
/** Skips approval attempts, which are settled in the row of their order request. */
const makeVoid = statement<never, [string]>(
  'stock_claim_void',
  `INSERT INTO core.stock_claims (id) SELECT $1::uuid WHERE NOT EXISTS (SELECT FROM core.order_requests WHERE id = $1)
   ON CONFLICT ON CONSTRAINT stock_claims_pkey DO NOTHING`,
);
const committed = statement<NotNull<StockClaimEntity, 'order_id'>, [string]>(
  'stock_claim_committed',
  `SELECT order_id FROM core.stock_claims WHERE id = $1 AND order_id IS NOT NULL`,
);

/** Call in the transaction that writes the order. Returns false when the claim is void. */
export async function commitClaim(tx: Sql, id: string, orderId: string): Promise<boolean> {
  return (await tx.rows(commit, id, orderId)).length === 1;
}

/** Marks the claim void, so that it cannot commit later, and returns null; returns the order if it has committed. */
export async function settleClaim(sql: Sql, id: string): Promise<{ orderId: string } | null> {
  await sql.rows(makeVoid, id);
  const [row] = await sql.rows(committed, id);
  return row ? { orderId: row.order_id } : null;
}

/** True when the organization's stock follows the orders that integrators upsert. */
export const followsOrders = valueOf<Organization['stock_follows_orders'], [orgId: string]>(
  'stock_follows_orders',
  `SELECT stock_follows_orders AS follows FROM core.organizations WHERE id = $1`,
  false,
);
/** True when stock follows this order, or would follow a new one of this id; false for an unknown shop. */
export const followsOrder = valueOf<boolean, [orgId: string, shopId: string, externalId: string]>(
  'stock_follows_order',
  `SELECT NOT s.is_test AND (g.stock_follows_orders OR num_nonnulls(o.stock, o.stock_claim_id) > 0) AS follows
   FROM core.shops s JOIN core.organizations g ON g.id = s.org_id
     LEFT JOIN core.orders o ON o.shop_id = s.id AND o.external_id = $3
   WHERE s.org_id = $1 AND s.id = $2`,
  false,
);
export const saveFollowsOrders = changeOf<[orgId: string, follows: boolean]>(
  'stock_follows_orders_save',
  `UPDATE core.organizations SET stock_follows_orders = $2 WHERE id = $1`,
);

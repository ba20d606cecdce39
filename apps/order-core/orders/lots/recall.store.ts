import type { LotOrder, LotTold } from '@offizin/contracts/orders/recall';
import { isHitOf, rowOf, rowsOf, type Timed } from '@offizin/pg/queries';
import type { OrderEntity } from '../../db/entities';

export type RecallRow = Timed<Omit<LotOrder, 'test'>, 'created_at' | 'told_at'> &
  Pick<OrderEntity, 'is_test'>;

interface Wanted {
  orgId: string;
  lot: string;
  /** Null: of any product. */
  p1Id: string | null;
  /** Null: of test shops, too. */
  isTest: false | null;
  /** The last order of the page before; null for the first page. */
  after: string | null;
  limit: number;
}

/** By order_lots_lot, whose last column is the id: it rises with time. An order is one row, whatever its lines are. */
export const ordersOfLot = rowsOf<RecallRow, Wanted>(
  'lot_orders_list',
  `SELECT o.id AS order_id, o.external_id, o.order_number, o.shop_id, o.status, o.customer_name, o.customer_email,
     o.address_phone AS phone, l.p1_id, l.name, l.quantity, o.created_at, l.told_at, o.is_test
   FROM (
     SELECT order_id, sum(quantity)::int AS quantity, min(p1_id) AS p1_id,
       left(string_agg(DISTINCT name, ', ' ORDER BY name), 255) AS name,
       CASE WHEN bool_and(told_at IS NOT NULL) THEN min(told_at) END AS told_at
     FROM core.order_lots
     WHERE org_id = $orgId AND lot = $lot AND ($p1Id::text IS NULL OR p1_id = $p1Id OR p1_id IS NULL)
       AND ($after::uuid IS NULL OR order_id < $after)
       AND ($isTest::boolean IS NULL OR (SELECT t.is_test FROM core.orders t WHERE t.id = order_id) = $isTest)
     GROUP BY order_id ORDER BY order_id DESC LIMIT $limit
   ) l JOIN core.orders o ON o.id = l.order_id
   ORDER BY o.id DESC`,
);

export const isLotKnown = isHitOf<[orgId: string, lot: string]>(
  'lot_known',
  `SELECT order_id FROM core.order_lots WHERE org_id = $1 AND lot = $2 LIMIT 1`,
);

/** By the predicate of the list. Not a part of the order: no version, no history, no event. The first time stays. */
export const writeTold = rowOf<
  Timed<Omit<LotTold, 'p1_id'>, 'told_at'>,
  { orgId: string; orderId: string; lot: string; p1Id: string | null; told: boolean }
>(
  'lot_told_write',
  `WITH told AS (
     UPDATE core.order_lots SET told_at = CASE WHEN $told::boolean THEN coalesce(told_at, now()) END
     WHERE org_id = $orgId AND order_id = $orderId AND lot = $lot AND ($p1Id::text IS NULL OR p1_id = $p1Id OR p1_id IS NULL)
     RETURNING order_id, lot, quantity, told_at)
   SELECT order_id, lot, sum(quantity)::int AS quantity, min(told_at) AS told_at FROM told GROUP BY order_id, lot`,
);

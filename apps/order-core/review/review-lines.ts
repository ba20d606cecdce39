import type { OrderRequestPayload } from '@offizin/contracts/order-requests';
import type { ReviewLine } from '@offizin/contracts/review';
import type { ReviewProduct } from '@offizin/contracts/review-products';
import { linesOf } from '../order-requests/submission';

/** The lines of a request beside what the catalog knows; `products` is null when it did not answer. */
export function reviewLines(
  payload: Pick<OrderRequestPayload, 'items'>,
  products: readonly ReviewProduct[] | null,
): ReviewLine[] {
  const byId = new Map(products?.map((product) => [product.p1_id, product]));
  return linesOf(payload).map((line) => {
    const product = line.p1_id === null ? undefined : byId.get(line.p1_id);
    const { category = null, thc = null, cbd = null, available = null, price = null } = product ?? {};
    const isStocked = product?.in_inventory ?? false;
    return {
      ...line,
      in_inventory: isStocked,
      product_name: isStocked ? (product?.name ?? null) : null,
      category,
      thc,
      cbd,
      available,
      catalog_price: price,
    };
  });
}

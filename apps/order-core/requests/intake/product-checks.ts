import { Bus } from '@offizin/bus/bus';
import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import {
  findProducts,
  productsForReview,
  type ReviewProduct,
  type ReviewProductsResponse,
} from '@offizin/contracts/requests/review-products';
import { errorFields, log } from '@offizin/runtime/log';

/** A person waits for the page: without the catalog it is shown without stock and prices. */
const TIMEOUT_MS = 1_000;

/** What the catalog knows about products; null when it does not answer. */
export class ProductChecks {
  constructor(private readonly bus: Bus) {}

  async productsOf(
    caller: Caller,
    p1Ids: readonly string[],
    shopId?: string,
  ): Promise<readonly ReviewProduct[] | null> {
    if (p1Ids.length === 0) return [];
    const body = { org_id: caller.orgId, p1_ids: [...new Set(p1Ids)], shop_id: shopId };
    return answered(caller, (asker) => this.bus.call(productsForReview, asker, body, TIMEOUT_MS));
  }

  /** The first ones of the inventory by name. */
  async find(caller: Caller, q: string): Promise<readonly ReviewProduct[] | null> {
    const body = { org_id: caller.orgId, q };
    return answered(caller, (asker) => this.bus.call(findProducts, asker, body, TIMEOUT_MS));
  }
}

async function answered(
  { requestId }: Caller,
  ask: (asker: Caller) => Promise<ReviewProductsResponse>,
): Promise<readonly ReviewProduct[] | null> {
  try {
    return (await ask(serviceCaller('order-core', requestId))).products;
  } catch (failure) {
    log.warn({ request_id: requestId, ...errorFields(failure) }, 'answered without the catalog');
    return null;
  }
}

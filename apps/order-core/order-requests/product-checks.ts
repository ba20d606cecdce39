import { Bus } from '@offizin/bus/bus';
import { type Caller, serviceCaller } from '@offizin/contracts/caller';
import { productsForReview, type ReviewProduct } from '@offizin/contracts/review-products';
import { errorFields, log } from '@offizin/runtime/log';

/** A pharmacist waits for the page: without the catalog it is shown without stock and prices. */
const TIMEOUT_MS = 1_000;

export class ProductChecks {
  constructor(private readonly bus: Bus) {}

  /** What the catalog knows about the products; null when it does not answer. */
  async productsOf(
    { orgId, requestId }: Caller,
    p1Ids: readonly string[],
  ): Promise<readonly ReviewProduct[] | null> {
    if (p1Ids.length === 0) return [];
    const body = { org_id: orgId, p1_ids: [...new Set(p1Ids)] };
    const asker = serviceCaller('order-core', requestId);
    try {
      return (await this.bus.call(productsForReview, asker, body, TIMEOUT_MS)).products;
    } catch (failure) {
      log.warn({ request_id: requestId, ...errorFields(failure) }, 'review without the catalog');
      return null;
    }
  }
}

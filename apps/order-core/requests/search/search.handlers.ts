import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import type { StaffScope } from '@offizin/contracts/people/scopes';
import { searchAll, type SearchResponse } from '@offizin/contracts/console/search';
import { Database } from '@offizin/pg/database';
import { DataKeys } from '../../crypto/data-keys.store';
import { ProductChecks } from '../intake/product-checks';
import { searchOrders, searchRequests } from './search.store';

@Controller()
export class SearchHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly products: ProductChecks,
  ) {}

  @Handles(searchAll)
  async search({ caller, query }: Call<typeof searchAll>): Promise<Answer<SearchResponse>> {
    const q = query.q.trim();
    const may = (scope: StaffScope): boolean => q !== '' && caller.scopes.includes(scope);
    const { orgId } = caller;
    const key = await this.dataKeys.keyOf(orgId);
    const [requests, orders, products] = await Promise.all([
      may('order_requests.read') ? searchRequests(this.database.reads, { orgId, key }, q) : [],
      may('orders.read') ? searchOrders(this.database.reads, orgId, q) : [],
      may('inventory.read') ? this.products.find(caller, q) : [],
    ]);
    return ok({ requests, orders, products: [...(products ?? [])], products_searched: products !== null });
  }
}

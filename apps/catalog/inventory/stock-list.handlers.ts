import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound } from '@offizin/contracts/calls/errors';
import type { InventoryRow } from '@offizin/contracts/products/inventory';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/calls/operation';
import {
  getStock,
  listRunningOut,
  listStock,
  type RunningOutResponse,
  setStockThreshold,
  type StockItem,
  stockPage,
  type StockResponse,
} from '@offizin/contracts/products/stock';
import { MAX_PAGE_SIZE } from '@offizin/contracts/calls/paging';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { Database } from '@offizin/pg/database';
import { requireOrganizationId, requireProductId } from '../db/product-id';
import { changeProduct } from '../products/change-product';
import { inventoryRowJson } from './inventory.store';
import { listStockByName, runningOut, stockCourse } from './stock-list.store';

/** For the stock screen of the console: its lists, and the threshold that is set there. */
@Controller()
export class StockListHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
  ) {}

  @Handles(listStock)
  async list({ caller, query }: Call<typeof listStock>): Promise<Answer<StockResponse>> {
    return ok(await listStockByName(this.database, caller.orgId, query));
  }

  @Handles(stockPage)
  async page({ body }: Call<typeof stockPage>): Promise<Answer<StockResponse>> {
    const { org_id: orgId, ...query } = body;
    requireOrganizationId(orgId);
    // Only the first page of a file needs the totals.
    const isFirst = query.cursor === undefined;
    return ok(await listStockByName(this.database, orgId, { ...query, limit: MAX_PAGE_SIZE }, isFirst));
  }

  @Handles(getStock)
  async get({ caller, params }: Call<typeof getStock>): Promise<Answer<StockItem>> {
    const p1Id = requireProductId(params.p1Id);
    const json = await inventoryRowJson(this.database, caller.orgId, p1Id);
    if (json === null) throw notFound('product');
    const course = await stockCourse(this.database, caller.orgId, p1Id);
    return okJson(`${json.slice(0, -1)},"course":${JSON.stringify(course)}}`);
  }

  @Handles(listRunningOut)
  async runningOut({ caller }: Call<typeof listRunningOut>): Promise<Answer<RunningOutResponse>> {
    return ok(await runningOut(this.database, caller.orgId));
  }

  @Handles(setStockThreshold)
  async setThreshold({
    caller,
    params,
    body,
  }: Call<typeof setStockThreshold>): Promise<Answer<InventoryRow>> {
    const p1Id = requireProductId(params.p1Id);
    const json = await this.database.transaction(async (tx) => {
      await changeProduct(tx, caller, p1Id, { given: body });
      return inventoryRowJson(tx, caller.orgId, p1Id);
    });
    this.relay.wake();
    return okJson(json ?? '');
  }
}

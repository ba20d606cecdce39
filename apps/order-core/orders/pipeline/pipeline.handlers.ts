import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  countOrders,
  getPipelineOrder,
  listPipeline,
  type OrderCounts,
  type PipelineOrder,
  type PipelineResponse,
} from '@offizin/contracts/orders/pipeline';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { DataKeys } from '../../crypto/data-keys.store';
import { requireShop } from '../../people/directory/organizations.store';
import { orderDetail } from '../orders/order-detail';
import { findOrder } from '../orders/orders.store';
import { notesOf } from './order-notes.store';
import { countByStatus, listPipelineRows, orderStatusSince, pipelineHistory } from './pipeline.store';

/** What the orders screen of the console reads: the list, the counts of its tabs, and one order. */
@Controller()
export class PipelineHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles(listPipeline)
  async list({ caller, query }: Call<typeof listPipeline>): Promise<Answer<PipelineResponse>> {
    await requireShop(this.database, caller.orgId, query.shop_id);
    return ok(await listPipelineRows(this.database.reads, caller.orgId, query));
  }

  @Handles(countOrders)
  async counts({ caller, query }: Call<typeof countOrders>): Promise<Answer<OrderCounts>> {
    await requireShop(this.database, caller.orgId, query.shop_id);
    return ok(await countByStatus(this.database, caller.orgId, query));
  }

  @Handles(getPipelineOrder)
  async get({ caller, params }: Call<typeof getPipelineOrder>): Promise<Answer<PipelineOrder>> {
    const { orgId } = caller;
    const { orderId } = params;
    const row = isId(orderId) ? await findOrder(this.database, orgId, orderId) : null;
    if (!row) throw notFound('order');
    const history = await pipelineHistory(this.database, orgId, orderId);
    const notes = await notesOf(this.database, await this.dataKeys.keyOf(orgId), { orgId, orderId });
    const since = await orderStatusSince(this.database, orgId, orderId);
    const detail = orderDetail(row);
    return ok({ ...detail, version: row.sequence, status_since: since ?? detail.created_at, history, notes });
  }
}

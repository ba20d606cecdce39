import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import {
  type OrderBatchResponse,
  OrderStatusPatch,
  type OrderStatusBatchResponse,
  patchOrderStatuses,
  upsertOrders,
} from '@offizin/contracts/order-batches';
import { OrderUpsertBody } from '@offizin/contracts/orders';
import { runMembers } from './batch-members';
import { OrderWrites } from './order-writes';

/** Many orders in one call. Each member goes the way of the single call, with its statements, events and rules. */
@Controller()
export class OrderBatchesHandlers {
  constructor(private readonly writes: OrderWrites) {}

  @Handles(upsertOrders)
  async upsert({ caller, body }: Call<typeof upsertOrders>): Promise<Answer<OrderBatchResponse>> {
    const outcomes = await runMembers(body.orders, {
      dto: OrderUpsertBody,
      keyOf: ({ shop_id, external_id }) => `${shop_id.toLowerCase()} ${external_id}`,
      run: async (member) => {
        const { row, change } = await this.writes.upsert(caller, member);
        return { status: change, order_id: row.id };
      },
    });
    return ok({ results: outcomes.map((outcome, index) => ({ index, ...outcome })) });
  }

  @Handles(patchOrderStatuses)
  async patchStatus({
    caller,
    body,
  }: Call<typeof patchOrderStatuses>): Promise<Answer<OrderStatusBatchResponse>> {
    const outcomes = await runMembers(body.patches, {
      dto: OrderStatusPatch,
      keyOf: ({ order_id }) => order_id.toLowerCase(),
      run: async ({ order_id, ...patch }) => {
        const { changed, order_id: id } = await this.writes.patchStatus(caller, order_id, patch, null);
        return { status: changed ? ('updated' as const) : ('unchanged' as const), order_id: id };
      },
    });
    return ok({ results: outcomes.map((outcome, index) => ({ index, ...outcome })) });
  }
}

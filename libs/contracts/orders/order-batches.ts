import { BatchResult, MAX_BATCH_MEMBERS } from '../calls/batches';
import { Nested, OneOf, Text } from '../calls/fields';
import { Members } from '../calls/members';
import { operation } from '../calls/operation';
import { OrderStatusPatchBody, OrderUpsertBody } from './orders';
import { Described } from '../calls/schema';

/** Many orders in one call, for first imports and nightly comparisons. See docs/contract.md#batches */

@Described(
  'Members are checked and written one by one: a refused one leaves the others alone. Members of one shop and external id ' +
    'are applied in their order. A repeat under the same Idempotency-Key gets the first answer; where the service died in ' +
    'between, the batch runs again, and members that were written then are `unchanged`.',
)
export class OrderBatchBody {
  @Members(() => OrderUpsertBody, {
    minItems: 1,
    maxItems: MAX_BATCH_MEMBERS,
    description: 'What the single upsert takes, for each order',
  })
  orders!: unknown[];
}

@Described('The id of the order, and what its status patch holds.')
export class OrderStatusPatch extends OrderStatusPatchBody {
  @Text({ minLength: 1, description: 'Id of the order' }) order_id!: string;
}

@Described(
  'Members are checked and applied one by one, as by the status patch of one order. Members of one order are applied in ' +
    'their order.',
)
export class OrderStatusBatchBody {
  @Members(() => OrderStatusPatch, {
    minItems: 1,
    maxItems: MAX_BATCH_MEMBERS,
    description: 'The changes, each with the id of its order',
  })
  patches!: unknown[];
}

export const UPSERT_OUTCOMES = ['created', 'updated', 'unchanged', 'error'] as const;
export type UpsertOutcome = (typeof UPSERT_OUTCOMES)[number];
export const PATCH_OUTCOMES = ['updated', 'unchanged', 'error'] as const;
export type PatchOutcome = (typeof PATCH_OUTCOMES)[number];

abstract class OrderResult extends BatchResult {
  @Text({
    nullable: true,
    format: 'uuid',
    description: 'Id of the order, also of one that refused the member; null where it is missing',
  })
  order_id!: string | null;
}

@Described('What became of one member of the batch')
export class OrderBatchResult extends OrderResult {
  @OneOf(UPSERT_OUTCOMES, { description: 'What became of the member' }) status!: UpsertOutcome;
}

@Described('What became of each member')
export class OrderBatchResponse {
  @Nested(() => OrderBatchResult, {
    list: { maxItems: MAX_BATCH_MEMBERS },
    description: 'One per member, in the order of the batch',
  })
  results!: OrderBatchResult[];
}

@Described('What became of one patch of the batch')
export class OrderStatusBatchResult extends OrderResult {
  @OneOf(PATCH_OUTCOMES, { description: 'What became of the member' }) status!: PatchOutcome;
}

@Described('What became of each patch')
export class OrderStatusBatchResponse {
  @Nested(() => OrderStatusBatchResult, {
    list: { maxItems: MAX_BATCH_MEMBERS },
    description: 'One per member, in the order of the batch',
  })
  results!: OrderStatusBatchResult[];
}

const PATH = '/api/v2/public/orgs/{orgId}/orders';
const ofOrders = { service: 'order-core', access: 'orders.write', method: 'POST' } as const;

export const upsertOrders = operation({
  ...ofOrders,
  name: 'orders.upsert-batch',
  summary: 'Create or update up to 500 orders; each has its own outcome',
  path: `${PATH}/batch`,
  body: OrderBatchBody,
  reply: OrderBatchResponse,
});

export const patchOrderStatuses = operation({
  ...ofOrders,
  name: 'orders.patch-status-batch',
  summary: 'Change status, payment status or flags of up to 500 orders; each has its own outcome',
  path: `${PATH}/status/batch`,
  body: OrderStatusBatchBody,
  reply: OrderStatusBatchResponse,
});

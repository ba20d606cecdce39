import { BatchResult, MAX_BATCH_MEMBERS } from '../calls/batches';
import { Int, Nested, OneOf, Text } from '../calls/fields';
import { InventoryAdjustRequest } from './inventory';
import { Members } from '../calls/members';
import { operation } from '../calls/operation';
import { Described } from '../calls/schema';

/** Many changes of stock in one call. See docs/contract.md#batches */

@Described(
  'Members are decided one by one, in their order; a refused one leaves the others alone. All changes are one commit, ' +
    'with the answer that a repeat under the same Idempotency-Key gets: no adjustment counts twice.',
)
export class InventoryAdjustBatchBody {
  @Members(() => InventoryAdjustRequest, {
    minItems: 1,
    maxItems: MAX_BATCH_MEMBERS,
    description: 'What the single call takes, for each change of stock',
  })
  adjustments!: unknown[];
}

export const ADJUST_OUTCOMES = ['updated', 'unchanged', 'error'] as const;
export type AdjustOutcome = (typeof ADJUST_OUTCOMES)[number];

@Described('What became of one change of the batch')
export class InventoryAdjustBatchResult extends BatchResult {
  @OneOf(ADJUST_OUTCOMES, { description: 'Whether the member changed the stock' }) status!: AdjustOutcome;
  @Text({ nullable: true, format: 'uuid', description: 'Entry of the stock log; null for a refused member' })
  id!: string | null;
  @Int({ nullable: true, description: 'Stock after the member; null for a refused one' })
  stock_quantity!: number | null;
}

@Described('What became of each change')
export class InventoryAdjustBatchResponse {
  @Nested(() => InventoryAdjustBatchResult, {
    list: { maxItems: MAX_BATCH_MEMBERS },
    description: 'One per member, in the order of the batch',
  })
  results!: InventoryAdjustBatchResult[];
}

export const adjustInventories = operation({
  name: 'inventory.adjust-batch',
  summary: 'Change the stock of up to 500 products; each change has its own outcome',
  service: 'catalog',
  access: 'inventory.write',
  method: 'POST',
  path: '/api/v2/public/orgs/{orgId}/inventory/adjust/batch',
  body: InventoryAdjustBatchBody,
  reply: InventoryAdjustBatchResponse,
});

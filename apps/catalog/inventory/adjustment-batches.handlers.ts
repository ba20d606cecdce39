import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { invalid, Refused } from '@offizin/contracts/errors';
import { InventoryAdjustRequest } from '@offizin/contracts/inventory';
import {
  adjustInventories,
  type InventoryAdjustBatchResponse,
  type InventoryAdjustBatchResult,
} from '@offizin/contracts/inventory-batches';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { readMember, refusedMember } from '@offizin/operations/batch-member';
import { Database } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { type Adjusted, adjustTogether } from './shared-adjustments';
import { adjustmentProblems } from './stock-adjustment';

/** Many changes of stock in one call and one transaction: a `delta` that ran again would count twice. */
@Controller()
export class AdjustmentBatchesHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
  ) {}

  @Handles(adjustInventories)
  async adjust({
    caller,
    body,
    keyRun,
  }: Call<typeof adjustInventories>): Promise<Answer<InventoryAdjustBatchResponse>> {
    const read = body.adjustments.map(readAdjustment);
    const traceparent = storedTraceparent();
    const members = read.flatMap((request) =>
      request instanceof Refused ? [] : [{ caller, request, logId: newId(), traceparent }],
    );
    const answer = await this.database.transaction(async (tx) => {
      const decided = await adjustTogether(tx, members);
      const outcomeOf = new Map(members.map(({ request }, place) => [request, decided[place]]));
      const results = read.map((request, index) =>
        resultOf(index, request instanceof Refused ? request : outcomeOf.get(request)),
      );
      return storeAnswer(tx, keyRun, ok({ results }));
    });
    this.relay.wake();
    return answer;
  }
}

/** A member by the rules of the single call, or the reason for its refusal. */
function readAdjustment(plain: unknown): InventoryAdjustRequest | Refused {
  const request = readMember(InventoryAdjustRequest, plain);
  if (request instanceof Refused) return request;
  const problems = adjustmentProblems(request);
  return problems.length > 0 ? invalid(problems) : request;
}

function resultOf(index: number, outcome: Adjusted | Refused | undefined): InventoryAdjustBatchResult {
  if (!outcome) throw new Error(`member ${index} was not decided`);
  if (outcome instanceof Refused) return { index, ...refusedMember(outcome), id: null, stock_quantity: null };
  const { id, stock_quantity, isChanged } = outcome;
  return { index, status: isChanged ? 'updated' : 'unchanged', id, stock_quantity };
}

import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import {
  addToInventory,
  adjustInventory,
  InventoryAdjustRequest,
  type InventoryAdjustResponse,
  type InventoryListResponse,
  inventoryLog,
  type InventoryLogResponse,
  type InventoryRow,
  listInventory,
} from '@offizin/contracts/products/inventory';
import { type Answer, type Call, type KeyRun, ok, okJson } from '@offizin/contracts/calls/operation';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { Database, type Sql } from '@offizin/pg/database';
import { answersUnderKeys, storeAnswer, storeAnswers } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { newId } from '@offizin/pg/ids';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { storedTraceparent } from '@offizin/runtime/tracing';
import {
  adjustInventories,
  type InventoryAdjustBatchResponse,
  type InventoryAdjustBatchResult,
} from '@offizin/contracts/products/inventory-batches';
import { readMember, refusedMember } from '@offizin/operations/batch-member';
import { lockProduct, writeCodesOf } from '../db/product-codes';
import { requireProductId } from '../db/product-id';
import { SCHEMA } from '../db/schema';
import {
  insertInventoryItem,
  inventoryListJson,
  inventoryLogJson,
  inventoryRowJson,
  isInCatalog,
} from './inventory.store';
import {
  type Adjusted,
  type Adjustment,
  adjustTogether,
  auditedChange,
  productKey,
} from './shared-adjustments';
import { adjustmentProblems } from './stock-adjustment';
import { changeStocks } from './stock.store';

@Controller()
export class InventoryHandlers {
  private readonly adjustments: MicroBatches<SingleAdjustment, SingleOutcome>;

  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
  ) {
    this.adjustments = new MicroBatches({
      run: (members) => database.transaction((tx) => adjustSingly(tx, members)),
      keyOf: ({ caller, request }) => productKey(caller.orgId, request.p1_id),
      sharesKeys: true,
    });
  }

  @Handles(addToInventory)
  async add({ caller, body, keyRun }: Call<typeof addToInventory>): Promise<Answer<InventoryRow>> {
    const { orgId, actorId } = caller;
    const { p1_id: p1Id, initial_stock: initialStock, price = null } = body;
    const answer = await this.database.transaction(async (tx) => {
      await lockProduct(tx, p1Id);
      const inserted = await insertWithFreeSlug(tx, orgId, p1Id, price);
      if (inserted) await writeCodesOf(tx, orgId, p1Id);
      if (inserted && initialStock > 0) {
        const stock = { ...inserted, p1_id: p1Id, stock_quantity: 0, reserved_quantity: 0 };
        const what = { orgId, stock, delta: initialStock, reservedDelta: 0, reason: 'received' as const };
        const cause = { actor: actorId, traceparent: storedTraceparent() };
        await changeStocks(tx, [{ ...what, logId: newId(), cause }]);
      }
      if (inserted) await audit(tx, caller, 'inventory.add', p1Id);
      const row = await inventoryRowJson(tx, orgId, p1Id);
      return storeAnswer(tx, keyRun, okJson<InventoryRow>(row ?? '', inserted ? 201 : 200));
    });
    this.relay.wake();
    return answer;
  }

  @Handles(listInventory)
  async list({ caller, query }: Call<typeof listInventory>): Promise<Answer<InventoryListResponse>> {
    return okJson(await inventoryListJson(this.database, caller.orgId, query));
  }

  @Handles(adjustInventory)
  async adjust({
    caller,
    body,
    keyRun,
  }: Call<typeof adjustInventory>): Promise<Answer<InventoryAdjustResponse>> {
    const problems = adjustmentProblems(body);
    if (problems.length > 0) throw invalid(problems);
    const traceparent = storedTraceparent();
    const outcome = await this.adjustments.submit({
      caller,
      request: body,
      keyRun,
      logId: newId(),
      traceparent,
    });
    if (outcome instanceof Refused) throw outcome;
    this.relay.wake();
    return outcome;
  }

  /** One transaction: a `delta` that ran again would count twice. */
  @Handles(adjustInventories)
  async adjustMany({
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

  @Handles(inventoryLog)
  async log({ caller, params, query }: Call<typeof inventoryLog>): Promise<Answer<InventoryLogResponse>> {
    const p1Id = requireProductId(params.p1Id);
    const json = await inventoryLogJson(this.database, caller.orgId, p1Id, query);
    if (json === null) throw notFound('product');
    return okJson(json);
  }
}

interface SingleAdjustment extends Adjustment {
  keyRun: KeyRun | undefined;
}

type SingleOutcome = Answer<InventoryAdjustResponse> | Refused;

/** Single calls that wait for the same rows, or for the same commit; each keeps its own answer. */
async function adjustSingly(tx: Sql, members: readonly SingleAdjustment[]): Promise<SingleOutcome[]> {
  const outcomes = (await adjustTogether(tx, members)).map((outcome): SingleOutcome => {
    if (outcome instanceof Refused) return outcome;
    return ok({ status: 'ok', id: outcome.id, stock_quantity: outcome.stock_quantity });
  });
  await storeAnswers(tx, answersUnderKeys(members, outcomes));
  return outcomes;
}

async function audit(tx: Sql, caller: Caller, action: string, p1Id: string): Promise<void> {
  await appendAuditRecord(tx, SCHEMA, caller, auditedChange(caller, action, p1Id));
}

/** null if the product was already in the inventory. If the slug is taken, the product gets another one. */
async function insertWithFreeSlug(
  tx: Sql,
  orgId: string,
  p1Id: string,
  price: number | null,
): Promise<{ low_stock_threshold: number } | null> {
  for (const slugWithId of [false, true]) {
    const inserted = await insertInventoryItem(tx, { orgId, p1Id, price, slugWithId });
    if (inserted) return inserted;
    if ((await inventoryRowJson(tx, orgId, p1Id)) !== null) return null;
    if (!(await isInCatalog(tx, p1Id))) {
      throw new Refused('not_found', 'There is no such product in the catalog.');
    }
  }
  throw new Refused(
    'conflict',
    'Other products of this organization have the slugs of this one: change them.',
  );
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

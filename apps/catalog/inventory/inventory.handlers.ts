import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/errors';
import {
  addToInventory,
  adjustInventory,
  type InventoryAdjustResponse,
  type InventoryListResponse,
  inventoryLog,
  type InventoryLogResponse,
  type InventoryRow,
  listInventory,
} from '@offizin/contracts/inventory';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/operation';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { Database, type Sql } from '@offizin/pg/database';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { requireProductId } from '../db/product-id';
import { SCHEMA } from '../db/schema';
import {
  insertInventoryItem,
  inventoryListJson,
  inventoryLogJson,
  inventoryRowJson,
  isInCatalog,
} from './inventory.store';
import { adjustmentProblems, decideAdjustment, isRepetition } from './stock-adjustment';
import { changeStock, entryOfReference, lockStock } from './stock.store';

@Controller()
export class InventoryHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
  ) {}

  @Handles(addToInventory)
  async add({ caller, body, keyRun }: Call<typeof addToInventory>): Promise<Answer<InventoryRow>> {
    const { orgId, actorId } = caller;
    const { p1_id: p1Id, initial_stock: initialStock, price = null } = body;
    const answer = await this.database.transaction(async (tx) => {
      const inserted = await insertWithFreeSlug(tx, orgId, p1Id, price);
      if (inserted && initialStock > 0) {
        const stock = { ...inserted, p1_id: p1Id, stock_quantity: 0, reserved_quantity: 0 };
        const what = { orgId, stock, delta: initialStock, reservedDelta: 0, reason: 'received' as const };
        await changeStock(tx, what, { actor: actorId });
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
    const { orgId, actorId } = caller;
    const problems = adjustmentProblems(body);
    if (problems.length > 0) throw invalid(problems);
    const answer = await this.database.transaction(async (tx): Promise<Answer<InventoryAdjustResponse>> => {
      const [stock] = await lockStock(tx, orgId, [body.p1_id]);
      if (!stock) throw notFound('product');
      const { reference = null, note = null, reason } = body;
      const earlier = reference === null ? null : await entryOfReference(tx, orgId, body.p1_id, reference);
      if (earlier) {
        if (!isRepetition(earlier, body)) throw referenceTaken();
        return ok({ status: 'ok', id: earlier.id, stock_quantity: stock.stock_quantity });
      }
      const delta = decideAdjustment(stock, body);
      if (delta instanceof Refused) throw delta;
      const what = { orgId, stock, delta, reservedDelta: 0, reason };
      const { id, stockAfter } = await changeStock(tx, what, { actor: actorId, note, reference });
      await audit(tx, caller, 'inventory.adjust', body.p1_id);
      return storeAnswer(tx, keyRun, ok({ status: 'ok', id, stock_quantity: stockAfter }));
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

async function audit(tx: Sql, caller: Caller, action: string, p1Id: string): Promise<void> {
  await appendAuditRecord(tx, SCHEMA, caller, { orgId: caller.orgId, action, object: `product:${p1Id}` });
}

/** null if the product was already in the inventory. If the slug is taken, the product gets another one. */
async function insertWithFreeSlug(
  tx: Sql,
  orgId: string,
  p1Id: string,
  price: number | null,
): Promise<{ low_stock_threshold: number } | null> {
  for (const slugWithId of [false, true]) {
    const inserted = await insertInventoryItem(tx, orgId, p1Id, price, slugWithId);
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

function referenceTaken(): Refused {
  const message = 'This reference stands for another adjustment of the product: use a new one.';
  return new Refused('reference_conflict', message);
}

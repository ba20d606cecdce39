import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/errors';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/operation';
import {
  attachProduct,
  detachProduct,
  type DetachProductResponse,
  overrideProduct,
  type OverrideMode,
  type ShopProductResponse,
} from '@offizin/contracts/products';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { Database, type Sql } from '@offizin/pg/database';
import { appendEvent } from '@offizin/events/outbox';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { SCHEMA } from '../db/schema';
import { ShopDirectory } from '../shops/shop-directory';
import { applyOverrides, type Overrides, overridesProblems, sameOverrides, sizeProblems } from './overrides';
import {
  lockAttachedProduct,
  lockOrMakeShopProduct,
  shopProductReplyJson,
  stockOf,
  writeShopProduct,
} from './shop-products.store';

@Controller()
export class ShopProductsHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly shops: ShopDirectory,
  ) {}

  @Handles(attachProduct)
  async attach({ caller, body, keyRun }: Call<typeof attachProduct>): Promise<Answer<ShopProductResponse>> {
    const { orgId } = caller;
    const { shop_id: shopId, p1_id: p1Id, mode, overrides: given } = body;
    checkOverrides(given ?? {});
    await this.shops.requireShop(orgId, shopId);
    const answer = await this.database.transaction(async (tx) => {
      const stock = await stockOf(tx, orgId, p1Id);
      if (stock === null) throw notFound('product');
      const present = await lockOrMakeShopProduct(tx, orgId, shopId, p1Id);
      if (!present.attached && stock <= 0) throw outOfStock(p1Id);
      const overrides = given ? nextOverrides(present.overrides, given, mode) : present.overrides;
      const what = { caller, shopId, p1Id };
      if (!present.attached) await write(tx, what, 'product_attached', overrides);
      else if (!sameOverrides(present.overrides, overrides))
        await write(tx, what, 'product_updated', overrides);
      const status = present.attached ? 200 : 201;
      const json = await shopProductReplyJson(tx, orgId, shopId, p1Id);
      return storeAnswer(tx, keyRun, okJson<ShopProductResponse>(json, status));
    });
    this.relay.wake();
    return answer;
  }

  @Handles(overrideProduct)
  async override({
    caller,
    body,
    keyRun,
  }: Call<typeof overrideProduct>): Promise<Answer<ShopProductResponse>> {
    const { orgId } = caller;
    const { shop_id: shopId, p1_id: p1Id } = body;
    checkOverrides(body.overrides);
    await this.shops.requireShop(orgId, shopId);
    const answer = await this.database.transaction(async (tx) => {
      // The lock serializes concurrent merges, so that none is lost.
      const present = await lockAttachedProduct(tx, orgId, shopId, p1Id);
      if (!present) throw notFound('product at this shop');
      const overrides = nextOverrides(present.overrides, body.overrides, body.mode);
      if (!sameOverrides(present.overrides, overrides)) {
        await write(tx, { caller, shopId, p1Id }, 'product_updated', overrides);
      }
      const json = await shopProductReplyJson(tx, orgId, shopId, p1Id);
      return storeAnswer(tx, keyRun, okJson<ShopProductResponse>(json));
    });
    this.relay.wake();
    return answer;
  }

  @Handles(detachProduct)
  async detach({ caller, body, keyRun }: Call<typeof detachProduct>): Promise<Answer<DetachProductResponse>> {
    const { orgId } = caller;
    const { shop_id: shopId, p1_id: p1Id } = body;
    await this.shops.requireShop(orgId, shopId);
    const answer = ok<DetachProductResponse>({ shop_id: shopId, p1_id: p1Id, status: 'detached' });
    await this.database.transaction(async (tx) => {
      const present = await lockAttachedProduct(tx, orgId, shopId, p1Id);
      if (!present) throw notFound('product at this shop');
      await write(tx, { caller, shopId, p1Id }, 'product_detached', {});
      await storeAnswer(tx, keyRun, answer);
    });
    this.relay.wake();
    return answer;
  }
}

function checkOverrides(given: Overrides): void {
  const problems = overridesProblems(given);
  if (problems.length > 0) throw invalid(problems);
}

function nextOverrides(present: Overrides, given: Overrides, mode: OverrideMode): Overrides {
  const next = applyOverrides(present, given, mode);
  const problems = sizeProblems(next);
  if (problems.length > 0) throw invalid(problems);
  return next;
}

function outOfStock(p1Id: string): Refused {
  return new Refused('out_of_stock', `Product ${p1Id} has no stock: raise it before attaching the product.`);
}

const TOLD = {
  product_attached: {
    action: 'product.attach',
    title: 'Product attached',
    verb: 'was attached to',
    changed: {},
  },
  product_detached: {
    action: 'product.detach',
    title: 'Product detached',
    verb: 'was detached from',
    changed: {},
  },
  product_updated: {
    action: 'product.override',
    title: 'Product updated',
    verb: 'was overridden at',
    changed: { changed: ['overrides'] },
  },
} as const;

async function write(
  tx: Sql,
  { caller, shopId, p1Id }: { caller: Caller; shopId: string; p1Id: string },
  eventType: keyof typeof TOLD,
  overrides: Overrides,
): Promise<void> {
  const { orgId } = caller;
  const attached = eventType !== 'product_detached';
  const sequence = await writeShopProduct(tx, orgId, shopId, p1Id, { attached, overrides });
  const { action, title, verb, changed } = TOLD[eventType];
  const object = `shop-product:${shopId}:${p1Id}`;
  await appendEvent(tx, SCHEMA, {
    orgId,
    eventType,
    aggregateId: object,
    sequence,
    topic: 'plain',
    title,
    description: `Product ${p1Id} ${verb} shop ${shopId}.`,
    metadata: { p1_id: p1Id, shop_id: shopId, ...changed },
  });
  await appendAuditRecord(tx, SCHEMA, caller, { orgId, action, object });
}

import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, type KeyRun, ok, okJson } from '@offizin/contracts/calls/operation';
import { testMark } from '@offizin/contracts/calls/test-mark';
import {
  attachProduct,
  detachProduct,
  type DetachProductResponse,
  overrideProduct,
  type OverrideMode,
  type ShopProductResponse,
} from '@offizin/contracts/products/products';
import { buildAuditRecord } from '@offizin/events/audit-outbox';
import { Database, type Sql } from '@offizin/pg/database';
import { appendTraced, buildEvent, type TracedEvent, type UntimedEvent } from '@offizin/events/outbox';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { answersUnderKeys, storeAnswer, storeAnswers } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { SCHEMA } from '../db/schema';
import { FourEyesGuard, type Watch, watched } from '../products/four-eyes';
import { ShopDirectory } from '../shops/shops.handlers';
import { applyOverrides, type Overrides, overridesProblems, sameOverrides, sizeProblems } from './overrides';
import {
  type AttachedProduct,
  lockAttachedProducts,
  lockOrMakeShopProduct,
  type ShopProductKey,
  shopProductReplyJson,
  stockOf,
  writeOverriddenProducts,
  writeShopProduct,
} from './shop-products.store';

@Controller()
export class ShopProductsHandlers {
  private readonly overrides: MicroBatches<Overriding, OverrideOutcome>;

  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly shops: ShopDirectory,
    private readonly fourEyes: FourEyesGuard,
  ) {
    this.overrides = new MicroBatches({
      run: (members) => database.transaction((tx) => overrideTogether(tx, members)),
      keyOf: ({ caller: { orgId }, shopId, p1Id }) => shopProductKey({ orgId, shopId, p1Id }),
      sharesKeys: true,
    });
  }

  @Handles(attachProduct)
  async attach({ caller, body, keyRun }: Call<typeof attachProduct>): Promise<Answer<ShopProductResponse>> {
    const { orgId } = caller;
    const { shop_id: shopId, p1_id: p1Id, mode, overrides: given } = body;
    checkOverrides(given ?? {});
    const { is_test: isTest } = await this.shops.requireShop(orgId, shopId);
    const watch = given ? await this.fourEyes.watch(caller, judged(given, mode)) : null;
    const answer = await this.database.transaction(async (tx) => {
      const stock = await stockOf(tx, orgId, p1Id);
      if (stock === null) throw notFound('product');
      const present = await lockOrMakeShopProduct(tx, orgId, shopId, p1Id);
      if (!present.attached && stock <= 0) throw outOfStock(p1Id);
      const overrides = given ? nextOverrides(present.overrides, given, mode) : present.overrides;
      if (overrides instanceof Refused) throw overrides;
      const what = { caller, shopId, p1Id, isTest, watch };
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
    const { shop_id: shopId, p1_id: p1Id } = body;
    checkOverrides(body.overrides);
    const { is_test: isTest } = await this.shops.requireShop(caller.orgId, shopId);
    const watch = await this.fourEyes.watch(caller, judged(body.overrides, body.mode));
    const traceparent = storedTraceparent();
    const member = { caller, shopId, p1Id, isTest, body, keyRun, traceparent };
    const outcome = await (watch ? this.overrideWatched(member, watch) : this.overrides.submit(member));
    if (outcome instanceof Refused) throw outcome;
    this.relay.wake();
    return outcome;
  }

  /** Alone: a refusal takes the transaction back. */
  private overrideWatched(member: Overriding, watch: Watch): Promise<OverrideOutcome> {
    const { caller, shopId, p1Id } = member;
    return this.database.transaction(async (tx) => {
      await lockAttachedProducts(tx, [{ orgId: caller.orgId, shopId, p1Id }]);
      return watched(tx, { caller, watch }, { p1Id, shopId }, async () => {
        const [outcome = notFound('product at this shop')] = await overrideTogether(tx, [member]);
        return outcome;
      });
    });
  }

  @Handles(detachProduct)
  async detach({ caller, body, keyRun }: Call<typeof detachProduct>): Promise<Answer<DetachProductResponse>> {
    const { orgId } = caller;
    const { shop_id: shopId, p1_id: p1Id } = body;
    const { is_test: isTest } = await this.shops.requireShop(orgId, shopId);
    // Its overrides end with it.
    const watch = await this.fourEyes.watch(caller, ALL_JUDGED);
    const answer = ok<DetachProductResponse>({ shop_id: shopId, p1_id: p1Id, status: 'detached' });
    await this.database.transaction(async (tx) => {
      const [present] = await lockAttachedProducts(tx, [{ orgId, shopId, p1Id }]);
      if (!present) throw notFound('product at this shop');
      await write(tx, { caller, shopId, p1Id, isTest, watch }, 'product_detached', {});
      await storeAnswer(tx, keyRun, answer);
    });
    this.relay.wake();
    return answer;
  }
}

const ALL_JUDGED = { name: null, category: null };

/** Those values of the overrides that two-person approval looks at; leaving one out replaces it, too. */
function judged(given: Overrides, mode: OverrideMode): Overrides {
  return mode === 'replace' ? ALL_JUDGED : given;
}

function checkOverrides(given: Overrides): void {
  const problems = overridesProblems(given);
  if (problems.length > 0) throw invalid(problems);
}

function nextOverrides(present: Overrides, given: Overrides, mode: OverrideMode): Overrides | Refused {
  const next = applyOverrides(present, given, mode);
  const problems = sizeProblems(next);
  return problems.length > 0 ? invalid(problems) : next;
}

function outOfStock(p1Id: string): Refused {
  return new Refused('out_of_stock', `Product ${p1Id} has no stock: raise it before attaching the product.`);
}

const WORDING = {
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

interface ShopProductChange {
  caller: Caller;
  shopId: string;
  p1Id: string;
  isTest: boolean | undefined;
}

async function write(
  tx: Sql,
  what: ShopProductChange & { watch: Watch },
  eventType: keyof typeof WORDING,
  overrides: Overrides,
): Promise<void> {
  const { caller, shopId, p1Id } = what;
  const attached = eventType !== 'product_detached';
  const row = { orgId: caller.orgId, shopId, p1Id, attached, overrides: JSON.stringify(overrides) };
  const sequence = await watched(tx, what, what, () => writeShopProduct(tx, row));
  const traceparent = storedTraceparent();
  const records = recordsOf(what, eventType, sequence);
  await appendTraced(
    tx,
    SCHEMA,
    records.map((event) => ({ ...event, traceparent })),
  );
}

/** The event of a change and its audit record. */
function recordsOf(
  { caller, shopId, p1Id, isTest = false }: ShopProductChange,
  eventType: keyof typeof WORDING,
  sequence: number,
): UntimedEvent[] {
  const { orgId } = caller;
  const { action, title, verb, changed } = WORDING[eventType];
  const object = `shop-product:${shopId}:${p1Id}`;
  const event = buildEvent({
    orgId,
    eventType,
    aggregateId: object,
    sequence,
    topic: 'plain',
    title,
    description: `Product ${p1Id} ${verb} shop ${shopId}.`,
    metadata: { p1_id: p1Id, shop_id: shopId, ...changed, ...testMark(isTest) },
  });
  return [event, buildAuditRecord(caller, { orgId, action, object })];
}

interface Overriding extends ShopProductChange {
  body: { overrides: Overrides; mode: OverrideMode };
  keyRun: KeyRun | undefined;
  /** The caller's. */
  traceparent: string | null;
}

type OverrideOutcome = Answer<ShopProductResponse> | Refused;

/**
 * Racing overrides of a product, and those of other products that wait with them, share a transaction: they would only
 * wait for each other's row and commit. Each is applied in its turn, so no merge is lost, and has its own outcome.
 */
async function overrideTogether(tx: Sql, members: readonly Overriding[]): Promise<OverrideOutcome[]> {
  const requested = members.map(({ caller: { orgId }, shopId, p1Id }) => ({ orgId, shopId, p1Id }));
  const distinct = new Map(requested.map((key) => [shopProductKey(key), key]));
  const present = new Map<string, AttachedProduct>();
  for (const row of await lockAttachedProducts(tx, [...distinct.values()]))
    present.set(shopProductKey({ orgId: row.org_id, shopId: row.shop_id, p1Id: row.p1_id }), row);
  const written = new Map<string, AttachedProduct>();
  const events: TracedEvent[] = [];
  const decided = members.map((member): AttachedProduct | Refused => {
    const { caller, shopId, p1Id, body, traceparent } = member;
    const key = shopProductKey({ orgId: caller.orgId, shopId, p1Id });
    const before = present.get(key);
    if (!before) return notFound('product at this shop');
    const overrides = nextOverrides(before.overrides, body.overrides, body.mode);
    if (overrides instanceof Refused || sameOverrides(before.overrides, overrides)) {
      return overrides instanceof Refused ? overrides : before;
    }
    const after = { ...before, overrides, event_sequence: before.event_sequence + 1 };
    present.set(key, after);
    written.set(key, after);
    const records = recordsOf(member, 'product_updated', after.event_sequence);
    events.push(...records.map((event) => ({ ...event, traceparent })));
    return after;
  });
  const shown = decided.filter((row): row is AttachedProduct => !(row instanceof Refused));
  const replies = await writeOverriddenProducts(tx, [...written.values()], shown);
  await appendTraced(tx, SCHEMA, events);
  const outcomes = decided.map((row) =>
    row instanceof Refused ? row : okJson<ShopProductResponse>(replies.shift() ?? ''),
  );
  await storeAnswers(tx, answersUnderKeys(members, outcomes));
  return outcomes;
}

/** Ids of shops are case-insensitive. */
function shopProductKey({ orgId, shopId, p1Id }: ShopProductKey): string {
  return `${orgId} ${shopId.toLowerCase()} ${p1Id}`;
}

import { isDeepStrictEqual } from 'node:util';
import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { invalid, notFound, Refused, requireAsRead } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, ok } from '@offizin/contracts/calls/operation';
import {
  createTestShop,
  getShopSettings,
  getStockSettings,
  getWorkflow,
  setStockSettings,
  setWorkflow,
  type ShopSettings,
  type StockSettings,
  updateShopSettings,
  type WorkflowBody,
  type WorkflowResponse,
} from '@offizin/contracts/orders/settings';
import { Database, isUniqueViolation } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { appendAudit } from '../../audit/audit.store';
import { assertCallerIsLive, assertConfirmed, liveTransaction } from '../../callers/live-caller.store';
import {
  insertShop,
  isBelowOwnDomain,
  lockOrganization,
  TOO_MANY_SHOPS,
} from '../../people/directory/organizations.store';
import { checkedDomain } from '../../people/directory/domain';
import { DirectoryProjection } from '../../people/directory/projection';
import { DEFAULT_WORKFLOW, OPEN_WORKFLOW, readWorkflow, type Workflow } from '../orders/order-status';
import { followsOrders, saveFollowsOrders } from '../stock/stock-claims.store';
import { requireVersion, tagOf } from './settings.store';
import * as store from './settings.store';

@Controller()
export class SettingsHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
  ) {}

  @Handles(getWorkflow)
  async workflow({ caller }: Call<typeof getWorkflow>): Promise<Answer<WorkflowResponse>> {
    const workflow = await store.findWorkflow(this.database, caller.orgId);
    return ok(workflow, { etag: tagOf(workflow) });
  }

  @Handles(setWorkflow)
  async setWorkflow({ caller, body, headers }: Call<typeof setWorkflow>): Promise<Answer<WorkflowResponse>> {
    const chosen = chosenWorkflow(body);
    const { orgId } = caller;
    const workflow = await liveTransaction(this.database, caller, async (tx) => {
      requireVersion(headers['if-match'], body.version, await store.lockWorkflow(tx, orgId));
      await appendAudit(tx, caller, 'workflow.set', `organization:${orgId}`);
      return store.saveWorkflow(tx, orgId, { ...body, workflow: chosen });
    });
    return ok(workflow, { etag: tagOf(workflow) });
  }

  @Handles(getStockSettings)
  async stock({ caller }: Call<typeof getStockSettings>): Promise<Answer<StockSettings>> {
    return ok({ stock_follows_orders: await followsOrders(this.database, caller.orgId) });
  }

  @Handles(setStockSettings)
  async setStock({ caller, body }: Call<typeof setStockSettings>): Promise<Answer<StockSettings>> {
    const { orgId } = caller;
    await liveTransaction(this.database, caller, async (tx) => {
      await saveFollowsOrders(tx, orgId, body.stock_follows_orders);
      await appendAudit(tx, caller, 'stock-settings.set', `organization:${orgId}`);
    });
    return ok(body);
  }

  @Handles(getShopSettings)
  async shop({ caller, params }: Call<typeof getShopSettings>): Promise<Answer<ShopSettings>> {
    const { shopId } = params;
    const shop = isId(shopId) ? await store.findShopSettings(this.database, caller.orgId, shopId) : null;
    if (!shop) throw notFound('shop');
    return ok(shop, { etag: tagOf(shop) });
  }

  @Handles(createTestShop)
  async createTestShop({ caller, body, keyRun }: Call<typeof createTestShop>): Promise<Answer<ShopSettings>> {
    const { orgId } = caller;
    if (!body.is_test) {
      const message = 'must be true: the operator of the platform makes every other shop';
      throw invalid([{ field: 'is_test', message }]);
    }
    const [id, domain] = [newId(), checkedDomain(body.domain)];
    const answer = await this.database
      .transaction(async (tx) => {
        await assertCallerIsLive(tx, caller);
        await assertConfirmed(tx, caller);
        if (!(await lockOrganization(tx, orgId))) throw notFound('organization');
        // Else an organization could take the host name of another pharmacy.
        if (!(await isBelowOwnDomain(tx, orgId, domain))) {
          const message = 'must be below the host name of a shop of the organization';
          throw invalid([{ field: 'domain', message }]);
        }
        const shop = { id, name: body.name, domain, isTest: true };
        if (!(await insertShop(tx, orgId, shop))) throw new Refused('conflict', TOO_MANY_SHOPS);
        await appendAudit(tx, caller, 'shop.create', `shop:${id}`);
        const made = await store.findShopSettings(tx, orgId, id);
        if (!made) throw new Error('a new shop was not found');
        return storeAnswer(tx, keyRun, created(made));
      })
      .catch((error: unknown) => {
        throw takenDomain(error, domain);
      });
    await this.projection.project(`shop.${id}`);
    return answer;
  }

  @Handles(updateShopSettings)
  async updateShop({
    caller,
    params,
    body,
    headers,
  }: Call<typeof updateShopSettings>): Promise<Answer<ShopSettings>> {
    const { shopId } = params;
    if (!isId(shopId)) throw notFound('shop');
    if ([body.name, body.domain, body.is_active].every((value) => value === undefined)) {
      throw invalid([{ field: 'body', message: 'must hold one of name, domain, is_active' }]);
    }
    const domain = body.domain === undefined ? undefined : checkedDomain(body.domain);
    try {
      const shop = await liveTransaction(this.database, caller, async (tx) => {
        const present = await store.lockShopSettings(tx, caller.orgId, shopId);
        if (!present) throw notFound('shop');
        requireVersion(headers['if-match'], body.version, present);
        requireAsRead(body, present, ['shop_id', 'is_test']);
        // Where partners hand in prescriptions.
        if (domain !== undefined && domain !== present.domain) await assertConfirmed(tx, caller);
        const saved = await store.saveShopSettings(tx, caller.orgId, shopId, { ...body, domain });
        if (!saved) throw notFound('shop');
        await appendAudit(tx, caller, 'shop.update', `shop:${shopId}`);
        return saved;
      });
      await this.projection.project(`shop.${shopId}`);
      return ok(shop, { etag: tagOf(shop) });
    } catch (error) {
      throw takenDomain(error, domain);
    }
  }
}

/** The refusal of a domain that is taken; any other error as it is. */
function takenDomain(error: unknown, domain = ''): unknown {
  if (!isUniqueViolation(error, 'shops_domain')) return error;
  return new Refused('conflict', `The domain ${domain} already belongs to a shop.`);
}

/** Null for the default, so that a later change of the default applies to the organization. */
function chosenWorkflow({ mode, transitions }: WorkflowBody): Workflow | null {
  const given = transitions && readWorkflow(transitions);
  if (mode === 'custom') {
    if (given) return given;
    throw invalid([{ field: 'transitions', message: 'is required with mode custom' }]);
  }
  const own = mode === 'open' ? OPEN_WORKFLOW : DEFAULT_WORKFLOW;
  if (given && !isDeepStrictEqual(given, own))
    throw invalid([{ field: 'transitions', message: 'of its own is allowed only with mode custom' }]);
  return mode === 'open' ? OPEN_WORKFLOW : null;
}

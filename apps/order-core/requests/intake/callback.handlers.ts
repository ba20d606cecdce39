import { Controller } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { Handles } from '@offizin/bus/handles';
import {
  type Callback,
  type CallbackOwner,
  type CallbackWithSecret,
  deleteCallback,
  findCallback,
  getCallback,
  NO_CALLBACK,
  readForCallback,
  type ReadForCallbackResponse,
  removeCallback,
  setCallback,
  storeCallback,
} from '@offizin/contracts/requests/callbacks';
import { CALLBACK_STEPS } from '@offizin/contracts/requests/certification-steps';
import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, noContent, ok } from '@offizin/contracts/calls/operation';
import { Database } from '@offizin/pg/database';
import { callerNotLive } from '../../callers/live-caller.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { openSteps } from './certification.store';
import { integrationOfLiveKey, isIntegrationLive } from './integrations.store';
import { findProgress, progressOf } from './progress.store';

/** The connector answers 502 after five seconds of silence. */
const ASK_TIMEOUT_MS = 3_000;

/**
 * The callback of a partner. webhook-worker owns it and sends its events; only order-core knows which integration a
 * key belongs to and what the partner may read.
 */
@Controller()
export class CallbackHandlers {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles(setCallback)
  async set({ caller, body }: Call<typeof setCallback>): Promise<Answer<CallbackWithSecret>> {
    const owner = await this.ownerOf(caller);
    const stored = { ...owner, key_id: caller.actorId, url: body.url };
    return ok(await this.bus.call(storeCallback, askerFor(caller), stored, ASK_TIMEOUT_MS));
  }

  @Handles(getCallback)
  async get({ caller }: Call<typeof getCallback>): Promise<Answer<Callback>> {
    const owner = await this.ownerOf(caller);
    return ok(await this.bus.call(findCallback, askerFor(caller), owner, ASK_TIMEOUT_MS));
  }

  @Handles(deleteCallback)
  async delete({ caller }: Call<typeof deleteCallback>): Promise<Answer<never>> {
    const owner = await this.ownerOf(caller);
    const removal = { ...owner, key_id: caller.actorId };
    const { removed } = await this.bus.call(removeCallback, askerFor(caller), removal, ASK_TIMEOUT_MS);
    if (!removed) throw new Refused('not_found', NO_CALLBACK);
    return noContent();
  }

  /** The read decides before each attempt: a revoked key receives nothing more, and an erased text is not sent. */
  @Handles(readForCallback)
  async read({ body }: Call<typeof readForCallback>): Promise<Answer<ReadForCallbackResponse>> {
    const { org_id: orgId, shop_id: shopId, integration_id: integrationId } = body;
    const is_live = await isIntegrationLive(this.database, orgId, { integrationId, shopId });
    const by = { id: body.order_request_id, integrationId };
    const row = is_live ? await findProgress(this.database, orgId, shopId, by) : null;
    const progress = row && (await progressOf(this.dataKeys, row));
    const answer = { is_live, progress, as_of: row?.read_at.toISOString() ?? null };
    if (!row?.is_test) return ok(answer);
    const steps = { orgId, shopId, integrationId, steps: CALLBACK_STEPS };
    return ok({ ...answer, awaited: await openSteps(this.database, steps) });
  }

  /** Throws `Refused` (unauthorized) when the key has ended. */
  private async ownerOf(caller: Caller): Promise<CallbackOwner> {
    const { orgId, shopId, actorId } = caller;
    if (shopId === null) throw notFound('shop');
    const integrationId = await integrationOfLiveKey(this.database, orgId, actorId);
    if (integrationId === null) throw callerNotLive(caller);
    return { org_id: orgId, integration_id: integrationId, shop_id: shopId };
  }
}

function askerFor({ requestId }: Caller): Caller {
  return serviceCaller('order-core', requestId);
}

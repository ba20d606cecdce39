import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, noContent, ok } from '@offizin/contracts/calls/operation';
import { testMark } from '@offizin/contracts/calls/test-mark';
import {
  type CertificationResponse,
  type ObservedDeliveryResponse,
  observeDelivery,
  readCertification,
  readKeyCertification,
  restartCertification,
} from '@offizin/contracts/requests/certification';
import { CERTIFICATION_STEPS, stepsOf } from '@offizin/contracts/requests/certification-steps';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { callerNotLive, liveTransaction } from '../../callers/live-caller.store';
import {
  type Certified,
  doneSteps,
  forgetSteps,
  integrationOfKey,
  isTestShop,
  tickSteps,
} from './certification.store';
import { integrationOfLiveKey } from './integrations.store';

/** What an integration has done at a test shop. Calls tick their steps in certification.ts, deliveries here. */
@Controller()
export class CertificationHandlers {
  constructor(private readonly database: Database) {}

  @Handles(readCertification)
  async read({ caller }: Call<typeof readCertification>): Promise<Answer<CertificationResponse>> {
    return this.certification(await callerAt(this.database, caller));
  }

  @Handles(readKeyCertification)
  async readOfKey({
    caller: { orgId },
    params: { keyId },
    query: { shop_id: shopId },
  }: Call<typeof readKeyCertification>): Promise<Answer<CertificationResponse>> {
    const integrationId = isId(keyId) ? await integrationOfKey(this.database, orgId, keyId) : null;
    if (integrationId === null) throw notFound('API key');
    return this.certification({ orgId, shopId, integrationId });
  }

  @Handles(restartCertification)
  async restart({ caller }: Call<typeof restartCertification>): Promise<Answer<never>> {
    return liveTransaction(this.database, caller, async (tx) => {
      const certified = await callerAt(tx, caller);
      await forgetSteps(tx, certified);
      const { integrationId, shopId } = certified;
      await appendAudit(tx, caller, 'certification.restart', `certification:${integrationId}:${shopId}`);
      return noContent();
    });
  }

  @Handles(observeDelivery)
  async observe({ body }: Call<typeof observeDelivery>): Promise<Answer<ObservedDeliveryResponse>> {
    const { org_id: orgId, shop_id: shopId, integration_id: keyId, delivery_id: doneBy } = body;
    const { is_forged: isForged, status } = body;
    const steps = stepsOf({ kind: 'delivery', isForged, status });
    if (steps.length > 0) await tickSteps(this.database, { orgId, shopId, keyId, steps, doneBy });
    return ok({ counts: steps.length > 0 });
  }

  private async certification(of: Certified): Promise<Answer<CertificationResponse>> {
    const { orgId, shopId } = of;
    const isTest = isId(shopId) ? await isTestShop(this.database, orgId, shopId) : null;
    if (isTest === null) throw notFound('shop');
    const rows = await doneSteps(this.database, of);
    const done = new Map(rows.map((row) => [row.step, row]));
    const steps = CERTIFICATION_STEPS.map(({ name, de, en }) => {
      const row = done.get(name);
      const done_at = row?.done_at.toISOString() ?? null;
      return { name, text: { de, en }, done_at, request_id: row?.request_id ?? null };
    });
    const complete = steps.every(({ done_at }) => done_at !== null);
    return ok({ steps, complete, ...testMark(isTest) });
  }
}

/** Throws `Refused` (unauthorized) when the key has ended. */
async function callerAt(sql: Sql, caller: Caller): Promise<Certified> {
  const { orgId, shopId, actorId } = caller;
  const integrationId = await integrationOfLiveKey(sql, orgId, actorId);
  if (shopId === null || integrationId === null) throw callerNotLive(caller);
  return { orgId, shopId, integrationId };
}

import { createHash } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { Handles } from '@offizin/bus/handles';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, okJson } from '@offizin/contracts/calls/operation';
import {
  listForPartner,
  listPartnerProducts,
  type PartnerProductsResponse,
} from '@offizin/contracts/products/products';
import { Database } from '@offizin/pg/database';
import { callerNotLive } from '../../callers/live-caller.store';
import { mayReadAssortment } from './integrations.store';

/** The connector answers 502 after five seconds of silence. */
const ASK_TIMEOUT_MS = 3_000;

const NO_RIGHT =
  'This integration key may not list products (reads_assortment): ask the pharmacy for one that may.';

/** The assortment of a shop. Catalog owns it; only order-core knows what a key may do. */
@Controller()
export class PartnerProductsHandlers {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
  ) {}

  @Handles(listPartnerProducts)
  async list({ caller, query }: Call<typeof listPartnerProducts>): Promise<Answer<PartnerProductsResponse>> {
    const { orgId, shopId, actorId, requestId } = caller;
    if (shopId === null) throw notFound('shop');
    const mayRead = await mayReadAssortment(this.database, orgId, actorId);
    if (mayRead === null) throw callerNotLive(caller);
    if (!mayRead) throw new Refused('insufficient_scope', NO_RIGHT);
    const body = { ...query, org_id: orgId, shop_id: shopId };
    const asker = serviceCaller('order-core', requestId);
    const json = JSON.stringify(await this.bus.call(listForPartner, asker, body, ASK_TIMEOUT_MS));
    const digest = createHash('sha256').update(json).digest('base64url');
    return okJson(json, 200, { etag: `"${digest}"` });
  }
}

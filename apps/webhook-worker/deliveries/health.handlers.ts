import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  type DeliverySearchResponse,
  readWebhookStats,
  searchDeliveries,
  type WebhookStats,
} from '@offizin/contracts/webhooks/webhook-health';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { shown } from './deliveries.handlers';
import { subscriptionState } from './deliveries.store';
import { findDeliveries } from './delivery-search.store';
import { RecentStats, statsOf } from './stats.store';

/** What the console shows of subscriptions besides their own operations. */
@Controller()
export class HealthHandlers {
  private readonly recent: RecentStats;

  constructor(private readonly database: Database) {
    this.recent = new RecentStats((orgId, id) => statsOf(database, orgId, id, Date.now()));
  }

  @Handles(readWebhookStats)
  async stats(call: Call<typeof readWebhookStats>): Promise<Answer<WebhookStats>> {
    const { webhookId } = call.params;
    const { orgId } = call.caller;
    const isKnown =
      isId(webhookId) && (await subscriptionState(this.database, orgId, webhookId)) !== 'unknown';
    if (!isKnown) throw notFound('webhook');
    return ok(await this.recent.of(orgId, webhookId));
  }

  @Handles(searchDeliveries)
  async search(call: Call<typeof searchDeliveries>): Promise<Answer<DeliverySearchResponse>> {
    const { deliveries, pagination } = await findDeliveries(this.database, call.caller.orgId, call.query);
    const data = deliveries.map((each) => ({ ...shown(each), object_id: each.aggregate_id }));
    return ok({ data, pagination });
  }
}

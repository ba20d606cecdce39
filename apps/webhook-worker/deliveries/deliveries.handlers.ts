import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import type { WebhookEvent } from '@offizin/contracts/webhooks/events';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  EVENT_RETENTION_DAYS,
  getWebhookDelivery,
  listWebhookDeliveries,
  recoverWebhook,
  redeliverWebhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookDeliveryListResponse,
  type WebhookRecoverResponse,
} from '@offizin/contracts/webhooks/webhooks';
import {
  countMissed as countMissedOperation,
  MAX_RECOVERED,
  type MissedResponse,
} from '@offizin/contracts/webhooks/webhook-health';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { SCHEMA } from '../db/schema';
import {
  attemptsOf,
  countMissed,
  type DeliveryRecord,
  findDelivery,
  listDeliveries,
  recoverMissed,
  redeliver,
  subscriptionState,
} from './deliveries.store';
import { DeliveryEngine } from './delivery-engine';

const DAY_MS = 24 * 3600 * 1000;

@Controller()
export class DeliveriesHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly engine: DeliveryEngine,
  ) {}

  @Handles(listWebhookDeliveries)
  async list(call: Call<typeof listWebhookDeliveries>): Promise<Answer<WebhookDeliveryListResponse>> {
    const { webhookId } = call.params;
    const { orgId } = call.caller;
    if ((await this.stateOf(orgId, webhookId)) === 'unknown') throw notFound('webhook');
    const { deliveries, pagination } = await listDeliveries(this.database, orgId, webhookId, call.query);
    return ok({ data: deliveries.map(shown), pagination });
  }

  @Handles(getWebhookDelivery)
  async get(call: Call<typeof getWebhookDelivery>): Promise<Answer<WebhookDeliveryDetail>> {
    const { deliveryId } = call.params;
    const found = isId(deliveryId) && (await findDelivery(this.database, call.caller.orgId, deliveryId));
    if (!found) throw notFound('webhook delivery');
    const { attempts, pagination } = await attemptsOf(this.database, deliveryId, call.query);
    const event = found.body === null ? null : (JSON.parse(found.body) as WebhookEvent);
    return ok({ ...shown(found), event, attempts, attempts_pagination: pagination });
  }

  @Handles(redeliverWebhook)
  async redeliver(call: Call<typeof redeliverWebhook>): Promise<Answer<WebhookDelivery>> {
    const { deliveryId } = call.params;
    const { orgId } = call.caller;
    if (!isId(deliveryId)) throw notFound('webhook delivery');
    const delivery = await this.database.transaction(async (tx) => {
      const again = await redeliver(tx, orgId, deliveryId);
      if (!again) return null;
      await audit(tx, call.caller, 'webhook.redeliver', `webhook-delivery:${deliveryId}`);
      await storeAnswer(tx, call.keyRun, ok(shown(again)));
      return again;
    });
    if (!delivery) {
      if (!(await findDelivery(this.database, orgId, deliveryId))) throw notFound('webhook delivery');
      throw switchedOff();
    }
    this.relay.wake();
    this.engine.wake([delivery.subscription_id]);
    return ok(shown(delivery));
  }

  @Handles(recoverWebhook)
  async recover(call: Call<typeof recoverWebhook>): Promise<Answer<WebhookRecoverResponse>> {
    const { webhookId } = call.params;
    const { orgId } = call.caller;
    const missed = { orgId, subscriptionId: webhookId, since: recoverableSince(call.body.since) };
    await this.mustBeActive(orgId, webhookId);
    const answer = await this.database.transaction(async (tx) => {
      const scheduled = await recoverMissed(tx, { ...missed, limit: MAX_RECOVERED });
      if (scheduled > 0) await audit(tx, call.caller, 'webhook.recover', `webhook:${webhookId}`);
      return storeAnswer(tx, call.keyRun, ok({ scheduled, more: scheduled === MAX_RECOVERED }));
    });
    this.relay.wake();
    this.engine.wake([webhookId]);
    return answer;
  }

  @Handles(countMissedOperation)
  async missed(call: Call<typeof countMissedOperation>): Promise<Answer<MissedResponse>> {
    const { webhookId } = call.params;
    const { orgId } = call.caller;
    const since = recoverableSince(call.query.since);
    await this.mustBeActive(orgId, webhookId);
    const missed = { orgId, subscriptionId: webhookId, since, limit: MAX_RECOVERED + 1 };
    const counted = await countMissed(this.database, missed);
    return ok({ missed: Math.min(counted, MAX_RECOVERED), more: counted > MAX_RECOVERED });
  }

  private async mustBeActive(orgId: string, webhookId: string): Promise<void> {
    const state = await this.stateOf(orgId, webhookId);
    if (state === 'unknown') throw notFound('webhook');
    if (state === 'inactive') throw switchedOff();
  }

  private async stateOf(orgId: string, webhookId: string): Promise<'active' | 'inactive' | 'unknown'> {
    return isId(webhookId) ? subscriptionState(this.database, orgId, webhookId) : 'unknown';
  }
}

async function audit(tx: Sql, caller: Caller, action: string, object: string): Promise<void> {
  await appendAuditRecord(tx, SCHEMA, caller, { orgId: caller.orgId, action, object });
}

/** Refused, not shortened: the receiver must know that older events are not available. */
function recoverableSince(since: string): string {
  const ageMs = Date.now() - Date.parse(since);
  if (ageMs < 0) throw invalid([{ field: 'since', message: 'must not lie in the future' }]);
  if (ageMs > EVENT_RETENTION_DAYS * DAY_MS) {
    throw invalid([{ field: 'since', message: `must lie within the last ${EVENT_RETENTION_DAYS} days` }]);
  }
  return since;
}

function switchedOff(): Refused {
  return new Refused('conflict', 'This webhook is switched off: switch it on first.');
}

export function shown(record: DeliveryRecord): WebhookDelivery {
  return {
    id: record.id,
    webhook_id: record.subscription_id,
    event_id: record.event_id,
    event_type: record.event_type,
    status: record.status,
    attempt_count: record.attempt_count,
    next_attempt_at: record.status === 'pending' ? record.next_attempt_at.toISOString() : null,
    last_attempt_at: record.last_attempt_at?.toISOString() ?? null,
    created_at: record.created_at.toISOString(),
  };
}

import { isDeepStrictEqual } from 'node:util';
import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { isConfirmed, notConfirmed } from '@offizin/contracts/calls/confirmation';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { exampleOfEvent } from '@offizin/contracts/webhooks/event-descriptions';
import type { EventType, WebhookEvent } from '@offizin/contracts/webhooks/events';
import { type Answer, type Call, created, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  MAX_SUBSCRIPTIONS,
  type RotatedWebhookSubscription,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type WebhookListResponse,
  type WebhookSubscription,
  type WebhookSubscriptionWithSecret,
  type WebhookTestResponse,
} from '@offizin/contracts/webhooks/webhooks';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendToOutbox, buildEvent } from '@offizin/events/outbox';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { pageOf } from '@offizin/operations/cursor-pages';
import { WebhookWorkerConfig } from '../config';
import { SCHEMA } from '../db/schema';
import { newSecret } from '../deliveries/signature';
import { SecretEncryption } from '../deliveries/secret-encryption';
import { changedSettings, newSettings, ROTATION_OVERLAP_HOURS, shownState } from './settings';
import {
  deleteSubscription,
  findSubscription,
  insertSubscription,
  listSubscriptions,
  lockSubscription,
  nextEventSequence,
  finishRotation,
  rotateSecret,
  saveSubscription,
  type SubscriptionRecord,
} from './subscriptions.store';
import { cancelPending } from '../deliveries/switch-off.store';

const SUBSCRIPTION_LIST = { name: 'webhooks', keyOf: ({ id }: WebhookSubscription) => id };

@Controller()
export class SubscriptionsHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly secrets: SecretEncryption,
    private readonly config: WebhookWorkerConfig,
  ) {}

  @Handles(createWebhook)
  async create(call: Call<typeof createWebhook>): Promise<Answer<WebhookSubscriptionWithSecret>> {
    const settings = newSettings(call.body, this.config);
    const [id, secret] = [newId(), newSecret()];
    const { orgId } = call.caller;
    const made = await this.database.transaction(async (tx) => {
      const encrypted = this.secrets.encrypt(id, secret);
      const inserted = await insertSubscription(tx, { ...settings, orgId, id, secret: encrypted });
      if (!inserted) return null;
      await audit(tx, call.caller, 'webhook.create', id);
      return storeAnswer(tx, call.keyRun, created({ ...shown(inserted), secret }));
    });
    this.relay.wake();
    if (made) return made;
    const message = `There are ${MAX_SUBSCRIPTIONS} webhook subscriptions already, the most there may be: delete one first.`;
    throw new Refused('conflict', message);
  }

  @Handles(listWebhooks)
  async list(call: Call<typeof listWebhooks>): Promise<Answer<WebhookListResponse>> {
    const subscriptions = await listSubscriptions(this.database, call.caller.orgId);
    return ok(pageOf(subscriptions.map(shown), call.query, SUBSCRIPTION_LIST));
  }

  @Handles(getWebhook)
  async get(call: Call<typeof getWebhook>): Promise<Answer<WebhookSubscription>> {
    const id = webhookId(call);
    return ok(shown(existing(await findSubscription(this.database, call.caller.orgId, id))));
  }

  @Handles(updateWebhook)
  async update(call: Call<typeof updateWebhook>): Promise<Answer<WebhookSubscription>> {
    const id = webhookId(call);
    const { orgId } = call.caller;
    const saved = await this.database.transaction(async (tx) => {
      const present = existing(await lockSubscription(tx, orgId, id));
      const settings = changedSettings(present, call.body, this.config);
      if (isDeepStrictEqual({ ...present, ...settings }, present)) return present;
      if (settings.url !== present.url && !isConfirmed(call.caller, Date.now())) throw notConfirmed();
      const changed = await saveSubscription(tx, orgId, id, settings);
      await audit(tx, call.caller, 'webhook.update', id);
      return changed;
    });
    this.relay.wake();
    const subscription = existing(saved);
    if (!subscription.is_active) await cancelPending(this.database, id);
    return ok(shown(subscription));
  }

  @Handles(deleteWebhook)
  async delete(call: Call<typeof deleteWebhook>): Promise<Answer<never>> {
    const id = webhookId(call);
    await this.database.transaction(async (tx) => {
      if (!(await deleteSubscription(tx, call.caller.orgId, id))) throw notFound('webhook');
      await audit(tx, call.caller, 'webhook.delete', id);
    });
    this.relay.wake();
    await cancelPending(this.database, id);
    return noContent();
  }

  @Handles(rotateWebhookSecret)
  async rotate(call: Call<typeof rotateWebhookSecret>): Promise<Answer<RotatedWebhookSubscription>> {
    const id = webhookId(call);
    const { orgId } = call.caller;
    const secret = call.body.finish ? null : newSecret();
    const answer = await this.database.transaction(async (tx) => {
      const changed =
        secret === null
          ? await finishRotation(tx, orgId, id)
          : await rotateSecret(tx, orgId, id, this.secrets.encrypt(id, secret), ROTATION_OVERLAP_HOURS);
      const action = secret === null ? 'webhook.finish-rotation' : 'webhook.rotate-secret';
      await audit(tx, call.caller, action, id);
      return storeAnswer(tx, call.keyRun, ok({ ...shown(existing(changed)), secret }));
    });
    this.relay.wake();
    return answer;
  }

  /** The test event takes the full path of an event; the inbox creates its delivery for this subscription only. */
  @Handles(testWebhook)
  async test(call: Call<typeof testWebhook>): Promise<Answer<WebhookTestResponse>> {
    const id = webhookId(call);
    const { orgId } = call.caller;
    const { event_type: eventType } = call.body;
    const answer = await this.database.transaction(async (tx) => {
      const subscription = existing(await lockSubscription(tx, orgId, id));
      if (!subscription.is_active) {
        throw new Refused('conflict', 'This webhook is switched off: switch it on before testing it.');
      }
      const sequence = await nextEventSequence(tx, orgId, id);
      const { title, description, metadata } = exampleOf(eventType, id);
      const event = {
        orgId,
        eventType,
        aggregateId: id,
        sequence,
        topic: 'plain',
        title,
        description,
        metadata: { ...metadata, test: true },
      } as const;
      // Sent under this type so that only this subscription gets it; the body contains the real type.
      await appendToOutbox(tx, SCHEMA, { ...buildEvent(event), eventType: 'webhook_test' });
      await audit(tx, call.caller, 'webhook.test', id);
      const reply = { webhook_id: id, event_type: eventType, sequence };
      return storeAnswer(tx, call.keyRun, ok<WebhookTestResponse>(reply));
    });
    this.relay.wake();
    return answer;
  }
}

/** Texts of a test event; the ids of an example are invented. */
function exampleOf(
  eventType: EventType,
  webhookId: string,
): Pick<WebhookEvent, 'title' | 'description' | 'metadata'> {
  if (eventType !== 'webhook_test') return exampleOfEvent(eventType);
  const description = 'A test of this webhook that its owner asked for.';
  return { title: 'Test', description, metadata: { webhook_id: webhookId } };
}

async function audit(tx: Sql, caller: Caller, action: string, id: string): Promise<void> {
  await appendAuditRecord(tx, SCHEMA, caller, { orgId: caller.orgId, action, object: `webhook:${id}` });
}

/** A malformed id is treated as unknown. */
function webhookId(call: { params: { webhookId: string } }): string {
  if (!isId(call.params.webhookId)) throw notFound('webhook');
  return call.params.webhookId;
}

function existing(subscription: SubscriptionRecord | null): SubscriptionRecord {
  if (!subscription) throw notFound('webhook');
  return subscription;
}

function shown(record: SubscriptionRecord): WebhookSubscription {
  const { id, url, event_types, description, is_active, rate_per_second } = record;
  return { id, url, event_types, description, is_active, rate_per_second, ...shownState(record) };
}

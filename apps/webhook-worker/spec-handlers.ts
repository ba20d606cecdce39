import { findCallback, removeCallback, storeCallback } from '@offizin/contracts/callbacks';
import { listWebhookEventTypes, readEventFeed } from '@offizin/contracts/event-feed';
import { unknownEvents } from '@offizin/contracts/unknown-events';
import { countMissed, readWebhookStats, searchDeliveries } from '@offizin/contracts/webhook-health';
import * as webhooks from '@offizin/contracts/webhooks';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import type { OperationHandler } from '@offizin/operations/serve-operation';
import type { Database } from '@offizin/pg/database';
import { readConfig } from '@offizin/runtime/config';
import { WebhookWorkerConfig } from './config';
import { DeliveriesHandlers } from './deliveries/deliveries.handlers';
import type { DeliveryEngine } from './deliveries/delivery-engine';
import { HealthHandlers } from './deliveries/health.handlers';
import type { SecretEncryption } from './deliveries/secret-encryption';
import { EventsHandlers } from './events/events.handlers';
import { CallbacksHandlers } from './subscriptions/callbacks.handlers';
import { SubscriptionsHandlers } from './subscriptions/subscriptions.handlers';

/** For specs only: every operation of the worker, without a bus. */
export function handlersOf(
  database: Database,
  secrets: SecretEncryption,
  limits: Record<string, string>,
  engine: DeliveryEngine,
): ReadonlyMap<string, OperationHandler> {
  // Never started: events stay in the outbox, where the specs read them.
  const relay = new OutboxRelay({
    databaseUrl: '',
    schema: 'webhooks',
    publish: () => Promise.resolve(),
    unknown: () => Promise.resolve([]),
  });
  const config = configWith(limits);
  const subscriptions = new SubscriptionsHandlers(database, relay, secrets, config);
  const callbacks = new CallbacksHandlers(database, relay, secrets, config);
  const deliveries = new DeliveriesHandlers(database, relay, engine);
  const health = new HealthHandlers(database);
  const events = new EventsHandlers(database);
  return new Map<string, OperationHandler>([
    [webhooks.createWebhook.name, (call) => subscriptions.create(call)],
    [webhooks.listWebhooks.name, (call) => subscriptions.list(call)],
    [webhooks.getWebhook.name, (call) => subscriptions.get(call)],
    [webhooks.updateWebhook.name, (call) => subscriptions.update(call)],
    [webhooks.deleteWebhook.name, (call) => subscriptions.delete(call)],
    [webhooks.rotateWebhookSecret.name, (call) => subscriptions.rotate(call)],
    [webhooks.testWebhook.name, (call) => subscriptions.test(call)],
    [storeCallback.name, (call) => callbacks.store(call)],
    [findCallback.name, (call) => callbacks.find(call)],
    [removeCallback.name, (call) => callbacks.remove(call)],
    [webhooks.recoverWebhook.name, (call) => deliveries.recover(call)],
    [countMissed.name, (call) => deliveries.missed(call)],
    [readWebhookStats.name, (call) => health.stats(call)],
    [searchDeliveries.name, (call) => health.search(call)],
    [webhooks.listWebhookDeliveries.name, (call) => deliveries.list(call)],
    [webhooks.getWebhookDelivery.name, (call) => deliveries.get(call)],
    [webhooks.redeliverWebhook.name, (call) => deliveries.redeliver(call)],
    [listWebhookEventTypes.name, (call) => events.types(call)],
    [readEventFeed.name, (call) => events.feed(call)],
    [unknownEvents('webhook-worker').name, (call) => events.unknown(call)],
  ]);
}

function configWith(limits: Record<string, string>): WebhookWorkerConfig {
  return readConfig(WebhookWorkerConfig, {
    NATS_URL: 'nats://127.0.0.1:1',
    NATS_USER: 'spec',
    NATS_PASSWORD: 'spec',
    CALL_KEYS: '{"out":{},"in":{}}',
    IDEMPOTENCY_SECRET: 'a secret of at least 32 characters',
    DATABASE_URL: 'postgres://127.0.0.1:1/spec',
    MASTER_KEY: Buffer.alloc(32).toString('base64'),
    ...limits,
  });
}

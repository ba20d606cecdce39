import '@offizin/runtime/stop-during-start';
import { observeDelivery } from '@offizin/contracts/requests/certification';
import { readForCallback } from '@offizin/contracts/requests/callbacks';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import { Egress } from '@offizin/egress/send';
import { eventsUnknownTo } from '@offizin/events/unknown-events';
import { log } from '@offizin/runtime/log';
import { newRequestId } from '@offizin/runtime/request-id';
import { runService, type ServiceContext, type ServiceParts } from '@offizin/service/service';
import { WebhookWorkerConfig } from './config';
import { webhookWorkerSchema } from './db/schema';
import { CallbackBodies } from './deliveries/callback-bodies';
import { CallbackTrials } from './deliveries/callback-trials';
import { DeliveryEngine } from './deliveries/delivery-engine';
import { observeQueue } from './deliveries/queue.store';
import { secretReencryption, Targets } from './deliveries/targets.store';
import { SecretEncryption } from './deliveries/secret-encryption';
import { Inbox } from './events/inbox';
import { unknownEventIds } from './events/inbox.store';
import { retention } from './retention/retention.store';
import { webhookWorkerShares } from './shares';
import { WebhookWorkerModule } from './webhook-worker.module';

const NAME = 'webhook-worker';
/** Below the reserve of a lease (delivery-engine). */
const READ_TIMEOUT_MS = 3_000;

void runService({
  name: NAME,
  config: WebhookWorkerConfig,
  database: webhookWorkerSchema,
  // All events except audit records.
  eventSubjects: 'events.>',
  // This service is the only consumer of its own events; its audit records go to order-core.
  askUnknown:
    ({ bus, database }) =>
    (topic, ids) =>
      topic === 'audit' ? eventsUnknownTo(bus, NAME, topic, ids) : unknownEventIds(database, ids),
  prepare,
});

function prepare(context: ServiceContext<WebhookWorkerConfig>): ServiceParts {
  const { config, management, database, bus, relay } = context;
  if (config.allowLoopback)
    log.warn({ app: NAME }, 'webhooks may go to loopback addresses (EGRESS_ALLOW_LOOPBACK)');
  observeQueue(database);
  const secrets = new SecretEncryption(config.masterKeys);
  const egress = new Egress({ allowLoopback: config.allowLoopback, allowHttp: config.allowHttp });
  const engine = new DeliveryEngine({
    database,
    egress,
    targets: new Targets(database, secrets),
    callbacks: callbackBodies(context),
    trials: new CallbackTrials({
      egress,
      observe: (observed) => bus.call(observeDelivery, asker(), observed, READ_TIMEOUT_MS),
    }),
    requestsPerEndpoint: config.requestsPerEndpoint,
    requestsInFlight: config.requestsInFlight,
    onSwitchedOff: () => relay.wake(),
  });
  management.addNotice('deliveries', () => engine.notice());
  const inbox = new Inbox(database, (subscriptionIds) => engine.wake(subscriptionIds));
  return {
    module: WebhookWorkerModule,
    parts: [config, database, relay, engine, secrets],
    takeEvents: inbox.handle,
    shares: webhookWorkerShares(config.databasePool),
    background: [engine, retention(database), secretReencryption(database, secrets)],
    close: () => egress.close(),
  };
}

const asker = () => serviceCaller(NAME, newRequestId());

function callbackBodies({ bus, database, relay }: ServiceContext<WebhookWorkerConfig>): CallbackBodies {
  return new CallbackBodies({
    database,
    read: (requested) => bus.call(readForCallback, asker(), requested, READ_TIMEOUT_MS),
    onEnded: () => relay.wake(),
  });
}

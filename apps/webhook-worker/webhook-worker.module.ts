import { type DynamicModule, Module } from '@nestjs/common';
import { Database } from '@offizin/pg/database';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { WebhookWorkerConfig } from './config';
import { DeliveriesHandlers } from './deliveries/deliveries.handlers';
import { DeliveryEngine } from './deliveries/delivery-engine';
import { HealthHandlers } from './deliveries/health.handlers';
import { SecretEncryption } from './deliveries/secret-encryption';
import { EventsHandlers } from './events/events.handlers';
import { CallbacksHandlers } from './subscriptions/callbacks.handlers';
import { SubscriptionsHandlers } from './subscriptions/subscriptions.handlers';

interface Parts {
  config: WebhookWorkerConfig;
  database: Database;
  relay: OutboxRelay;
  engine: DeliveryEngine;
  secrets: SecretEncryption;
}

/** Wires the handlers; main.ts starts the background work. */
@Module({
  controllers: [SubscriptionsHandlers, CallbacksHandlers, DeliveriesHandlers, HealthHandlers, EventsHandlers],
})
export class WebhookWorkerModule {
  static with({ config, database, relay, engine, secrets }: Parts): DynamicModule {
    return {
      module: WebhookWorkerModule,
      providers: [
        { provide: WebhookWorkerConfig, useValue: config },
        { provide: Database, useValue: database },
        { provide: OutboxRelay, useValue: relay },
        { provide: DeliveryEngine, useValue: engine },
        { provide: SecretEncryption, useValue: secrets },
      ],
    };
  }
}

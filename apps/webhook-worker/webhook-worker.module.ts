import { Module } from '@nestjs/common';
import { DeliveriesHandlers } from './deliveries/deliveries.handlers';
import { HealthHandlers } from './deliveries/health.handlers';
import { EventsHandlers } from './events/events.handlers';
import { CallbacksHandlers } from './subscriptions/callbacks.handlers';
import { SubscriptionsHandlers } from './subscriptions/subscriptions.handlers';

@Module({
  controllers: [SubscriptionsHandlers, CallbacksHandlers, DeliveriesHandlers, HealthHandlers, EventsHandlers],
})
export class WebhookWorkerModule {}

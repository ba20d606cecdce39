import { listWebhookEventTypes, readEventFeed } from '@offizin/contracts/webhooks/event-feed';
import type { Operation } from '@offizin/contracts/calls/operation';
import * as webhooks from '@offizin/contracts/webhooks/webhooks';
import { CallShares, type CheapCalls } from '@offizin/operations/call-shares';

/** What remains reads the history of a subscription: its lists, counts and statistics, and the search for missed events. */
const CHEAP: CheapCalls = new Map<Operation, string[]>([
  [webhooks.createWebhook, []],
  [webhooks.listWebhooks, ['limit', 'cursor']],
  [webhooks.getWebhook, []],
  [webhooks.updateWebhook, []],
  [webhooks.deleteWebhook, []],
  [webhooks.rotateWebhookSecret, []],
  [webhooks.testWebhook, []],
  [webhooks.getWebhookDelivery, ['limit', 'cursor']],
  [webhooks.redeliverWebhook, []],
  [listWebhookEventTypes, ['limit', 'cursor']],
  // A kind is a filter, not an index.
  [readEventFeed, ['after', 'limit']],
]);

/** Deliveries, which use the same connections, keep the rest of them. */
export function webhookWorkerShares(databasePool: number): CallShares {
  return new CallShares({ databasePool, cheap: CHEAP });
}

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  WebhookCreateBody,
  WebhookDeliveryDetail,
  WebhookSubscription,
  WebhookUpdateBody,
} from '@offizin/contracts/webhooks/webhooks';
import type { WebhookDeliveryRow } from '@offizin/contracts/webhooks/webhook-health';
import { call } from '../calls/api';
import { type DeliverySearch, filtersOf } from './delivery-search';

/** The calls of the webhook pages. Nothing else in this folder speaks HTTP. */

export type Webhook = WebhookSubscription;
export type Delivery = WebhookDeliveryRow;
export type DeliveryDetail = WebhookDeliveryDetail;

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const WEBHOOKS = `${ORGANIZATION}/webhooks` as const;
const WEBHOOK = `${WEBHOOKS}/{webhookId}` as const;
const DELIVERIES = `${ORGANIZATION}/webhook-deliveries` as const;
const DELIVERY = `${DELIVERIES}/{deliveryId}` as const;

const PAGE_ROWS = 200;
const ATTEMPTS = 50;
/** Deliveries are not events of the console's stream. */
const ASK_EVERY_MS = 10_000;
const ASK_PENDING_EVERY_MS = 2_000;

export const ofWebhooks = ['webhooks'] as const;

export const webhookList = queryOptions({
  queryKey: [...ofWebhooks, 'list'],
  queryFn: async ({ signal }) => (await call('GET', WEBHOOKS, { signal })).data,
  refetchInterval: ASK_EVERY_MS,
});

export function webhookDetail(webhookId: string) {
  return queryOptions({
    queryKey: [...ofWebhooks, 'detail', webhookId],
    queryFn: ({ signal }) => call('GET', WEBHOOK, { path: { webhookId }, signal }),
    refetchInterval: ASK_EVERY_MS,
  });
}

export function webhookStats(webhookId: string) {
  return queryOptions({
    queryKey: [...ofWebhooks, 'stats', webhookId],
    queryFn: ({ signal }) => call('GET', `${WEBHOOK}/stats`, { path: { webhookId }, signal }),
    refetchInterval: ASK_EVERY_MS,
  });
}

/** Its period ends when the first page is read: a cursor belongs to its filters. */
export function deliveryList(webhookId: string | undefined, search: DeliverySearch) {
  return infiniteQueryOptions({
    queryKey: [...ofWebhooks, 'deliveries', webhookId, search],
    initialPageParam: undefined as { cursor: string; nowMs: number } | undefined,
    queryFn: async ({ pageParam: { cursor, nowMs } = { cursor: undefined, nowMs: Date.now() }, signal }) => {
      const query = { ...filtersOf(webhookId, search, nowMs), limit: PAGE_ROWS, cursor };
      return { nowMs, ...(await call('GET', DELIVERIES, { query, signal })) };
    },
    getNextPageParam: ({ pagination: { next_cursor: cursor }, nowMs }) =>
      cursor === null ? undefined : { cursor, nowMs },
    refetchInterval: ASK_EVERY_MS,
  });
}

export function deliveryDetail(deliveryId: string) {
  return queryOptions({
    queryKey: [...ofWebhooks, 'delivery', deliveryId],
    queryFn: ({ signal }) =>
      call('GET', DELIVERY, { path: { deliveryId }, query: { limit: ATTEMPTS }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? ASK_PENDING_EVERY_MS : ASK_EVERY_MS),
  });
}

export function missedSince(webhookId: string, since: string) {
  return queryOptions({
    queryKey: [...ofWebhooks, 'missed', webhookId, since],
    queryFn: ({ signal }) =>
      call('GET', `${WEBHOOK}/missed`, { path: { webhookId }, query: { since }, signal }),
  });
}

export function createWebhook(body: WebhookCreateBody, key: string) {
  return call('POST', WEBHOOKS, { body, header: { 'Idempotency-Key': key } });
}

export function changeWebhook(webhookId: string, body: WebhookUpdateBody) {
  return call('PUT', WEBHOOK, { path: { webhookId }, body });
}

export function deleteWebhook(webhookId: string) {
  return call('DELETE', WEBHOOK, { path: { webhookId } });
}

export function rotateSecret(webhookId: string, key: string) {
  return call('POST', `${WEBHOOK}/rotate-secret`, {
    path: { webhookId },
    header: { 'Idempotency-Key': key },
  });
}

/** Each call is another event. */
export function sendTest(webhookId: string) {
  const body = { event_type: 'webhook_test' } as const;
  return call('POST', `${WEBHOOK}/test`, {
    path: { webhookId },
    header: { 'Idempotency-Key': crypto.randomUUID() },
    body,
  });
}

export function recover(webhookId: string, since: string) {
  return call('POST', `${WEBHOOK}/recover`, { path: { webhookId }, body: { since } });
}

/** Each call is another attempt, under the delivery's own id. */
export function redeliver(deliveryId: string) {
  return call('POST', `${DELIVERY}/redeliver`, {
    path: { deliveryId },
    header: { 'Idempotency-Key': crypto.randomUUID() },
  });
}

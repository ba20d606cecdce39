import { routerPath } from '@offizin/contracts/calls/path-template';
import { Counter, Gauge, Histogram } from 'prom-client';
import { REQUEST_BUCKETS_SECONDS } from '@offizin/runtime/metrics';
import type { KnownRoute } from './known-route';

export const httpRequestDuration = new Histogram({
  name: 'offizin_http_request_duration_seconds',
  help: 'Time from receiving a request at an edge to the last byte of its answer, by operation and status',
  labelNames: ['operation', 'status'] as const,
  buckets: REQUEST_BUCKETS_SECONDS,
});

export type RateLimitName =
  'api' | 'connector' | 'assortment' | 'session' | 'password' | 'sign_in' | 'token_key' | 'token_address';

export const rateLimitedRequests = new Counter({
  name: 'offizin_rate_limited_requests_total',
  help: 'Requests refused with 429, by limit',
  labelNames: ['limit'] as const,
});

export const openConnections = new Gauge({
  name: 'offizin_http_connections',
  help: 'Open connections of callers',
});

/** At a limit, an idle or stalled connection was replaced or the new one refused. */
export type ClosedFor = 'address_limit' | 'process_limit' | 'unread' | 'pipeline';

export const closedConnections = new Counter({
  name: 'offizin_http_connections_closed_total',
  help: 'Connections of callers that were closed early, by the limit that closed them',
  labelNames: ['why'] as const,
});

/** Metric label; `none` without a route, so that callers cannot create new labels. */
export function operationOfRoute(
  routes: readonly KnownRoute[],
): (method: string, route: string | undefined) => string {
  const names = new Map<string, Map<string, string>>();
  for (const { method, path, name } of routes) {
    const route = routerPath(path);
    const byMethod = names.get(route) ?? new Map<string, string>();
    names.set(route, byMethod.set(method, name ?? `${method} ${route}`));
  }
  return (method, route = '') => names.get(route)?.get(method) ?? 'none';
}

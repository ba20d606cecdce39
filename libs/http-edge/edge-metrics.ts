import { routerPath } from '@offizin/contracts/path-template';
import { Counter, Gauge, Histogram } from 'prom-client';
import { registry, REQUEST_BUCKETS_SECONDS } from '@offizin/runtime/metrics';
import type { KnownRoute } from './contract-errors';

export const httpRequestDuration = new Histogram({
  name: 'offizin_http_request_duration_seconds',
  help: 'Time from receiving a request at an edge to the last byte of its answer, by operation and status',
  labelNames: ['operation', 'status'] as const,
  buckets: REQUEST_BUCKETS_SECONDS,
  registers: [registry],
});

export type RateLimitName = 'api' | 'connector' | 'token_key' | 'token_address';

export const rateLimitedRequests = new Counter({
  name: 'offizin_rate_limited_requests_total',
  help: 'Requests refused with 429, by the limit that they met',
  labelNames: ['limit'] as const,
  registers: [registry],
});

export const openConnections = new Gauge({
  name: 'offizin_http_connections',
  help: 'Connections of callers that are open',
  registers: [registry],
});

/**
 * `address_limit`, `process_limit`: an idle or stalled connection gave way to a new one, or the new one was refused because
 * all had work. `unread`: nothing of an answer was read. `pipeline`: more requests waited than the process keeps.
 */
export type ClosedFor = 'address_limit' | 'process_limit' | 'unread' | 'pipeline';

export const closedConnections = new Counter({
  name: 'offizin_http_connections_closed_total',
  help: 'Connections of callers that were closed before their time, by what they met',
  labelNames: ['why'] as const,
  registers: [registry],
});

/**
 * The operation of a request, for its label: the name in the contract, for the few other routes of an edge method and
 * path, and `none` for an address that no route has. A caller can make up no new one.
 */
export function operationOfRoute(
  routes: readonly KnownRoute[],
): (method: string, route: string | undefined) => string {
  // By route first: a key put together for each request would be hashed for each.
  const names = new Map<string, Map<string, string>>();
  for (const { method, path, name } of routes) {
    const route = routerPath(path);
    const byMethod = names.get(route) ?? new Map<string, string>();
    names.set(route, byMethod.set(method, name ?? `${method} ${route}`));
  }
  return (method, route = '') => names.get(route)?.get(method) ?? 'none';
}

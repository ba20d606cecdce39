import type { FastifyRequest } from 'fastify';
import { beginSpan, type OpenSpan, traceparentOf } from '@offizin/runtime/tracing';

/** Its parent is the caller's traceparent, if any. */
export function beginRequestSpan(request: FastifyRequest, operation: string): OpenSpan | null {
  const route = request.routeOptions.url;
  return beginSpan({
    name: operation === 'none' ? request.method : operation,
    kind: 'server',
    parent: traceparentOf(request.headers['traceparent']),
    attributes: {
      'http.request.method': request.method,
      // The URL holds ids, and its query may hold a key.
      ...(route !== undefined && { 'http.route': route }),
      'offizin.request_id': request.id,
    },
  });
}

export function endRequestSpan(span: OpenSpan, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}

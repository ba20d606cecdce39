import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TEST_REFUSAL_HEADER, TEST_REFUSAL_STATUS } from '@offizin/contracts/calls/test-mark';
import { errorFields, log } from '@offizin/runtime/log';
import { beginSpan, type OpenSpan, traceFields, traceparentOf } from '@offizin/runtime/tracing';
import { httpRequestDuration } from './edge-metrics';
import { responseStatus } from './response-status';

/**
 * Once per request, on the response's close: Fastify's `onResponse` and `onRequestAbort` miss callers that disconnect
 * after their body.
 */
export class RequestRecords {
  /** A queued (pipelined) response emits no `close` when its connection closes. */
  private readonly queued = new WeakMap<Socket, Set<() => void>>();

  constructor(private readonly operationOf: (method: string, route: string | undefined) => string) {}

  begin(request: FastifyRequest, { raw: response }: FastifyReply): OpenSpan | null {
    const startedAt = performance.now();
    const { socket } = request.raw;
    const isQueued = !response.socket;
    const operation = this.operationOf(request.method, request.routeOptions.url);
    const span = beginRequestSpan(request, operation);
    let isOpen = true;
    const end = (): void => {
      if (!isOpen) return;
      isOpen = false;
      const status = responseStatus(response);
      const durationMs = performance.now() - startedAt;
      const isTestRefusal = response.hasHeader(TEST_REFUSAL_HEADER);
      const counted = isTestRefusal ? TEST_REFUSAL_STATUS : status;
      httpRequestDuration.observe({ operation, status: counted }, durationMs / 1000);
      if (span) endRequestSpan(span, status, status >= 500 && !isTestRefusal);
      logRequest(request, { status, durationMs, span });
      if (isQueued) this.queued.get(socket)?.delete(end);
    };
    response.on('close', end);
    // An unhandled 'error' event would end the process.
    response.on('error', (error) =>
      log.error({ request_id: request.id, ...errorFields(error) }, 'answer failed'),
    );
    if (isQueued) this.queue(socket, end);
    return span;
  }

  /** Records input that reached no route; `none` if it is not a request. */
  refused(method: string | undefined, requestId: string, status: number): void {
    httpRequestDuration.observe({ operation: 'none', status }, 0);
    log.info(
      { method: method ?? 'none', route: 'none', status, duration_ms: 0, request_id: requestId },
      'request',
    );
  }

  private queue(socket: Socket, end: () => void): void {
    const others = this.queued.get(socket);
    if (others) {
      others.add(end);
      return;
    }
    const all = new Set([end]);
    this.queued.set(socket, all);
    socket.once('close', () => all.forEach((endOne) => endOne()));
  }
}

interface EdgeRequest extends FastifyRequest {
  user?: { orgId: string; actorId: string };
}

function logRequest(
  request: EdgeRequest,
  { status, durationMs, span }: { status: number; durationMs: number; span: OpenSpan | null },
): void {
  log.info(
    {
      method: request.method,
      // The pattern, not the URL: a URL holds ids, and its query may hold a key.
      route: request.routeOptions.url ?? 'none',
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      request_id: request.id,
      ...traceFields(span),
      org_id: request.user?.orgId,
      actor_id: request.user?.actorId,
    },
    'request',
  );
}

/** Its parent is the caller's traceparent, if any. */
function beginRequestSpan(request: FastifyRequest, operation: string): OpenSpan | null {
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

function endRequestSpan(span: OpenSpan, status: number, isFailure: boolean): void {
  span.set({ 'http.response.status_code': status });
  if (isFailure) span.fail(String(status));
  span.end();
}

import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorFields, log } from '@offizin/runtime/log';
import { type OpenSpan, traceFields } from '@offizin/runtime/tracing';
import { httpRequestDuration } from './edge-metrics';
import { responseStatus } from './response-status';
import { beginRequestSpan, endRequestSpan } from './request-spans';

/**
 * What each request leaves, once, however it ends: a line in the log, a count with its duration, and the end of its span.
 * When the response closes, and not in Fastify's hooks: `onResponse` does not come for a caller that leaves before the
 * answer, and `onRequestAbort` only for one that leaves before the end of its body.
 */
export class RequestRecords {
  /** Of requests that were sent behind others on their connection: a response hears of its end only once it is its turn. */
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
      httpRequestDuration.observe({ operation, status }, durationMs / 1000);
      if (span) endRequestSpan(span, status);
      logRequest(request, { status, durationMs, span });
      if (isQueued) this.queued.get(socket)?.delete(end);
    };
    response.on('close', end);
    // Without a listener it would end the process.
    response.on('error', (error) =>
      log.error({ request_id: request.id, ...errorFields(error) }, 'answer failed'),
    );
    if (isQueued) this.queue(socket, end);
    return span;
  }

  /** What no route has seen: bytes that are no request (method `none`), or a request that was not begun. */
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

/** The names under which a guard leaves who is calling on the request, for the log line. */
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
      // The pattern, not the address: an address holds ids, and its query may hold a key.
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

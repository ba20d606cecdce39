import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createProxyMiddleware, proxyEventsPlugin, type RequestHandler } from 'http-proxy-middleware';
import type { Caller } from '@offizin/contracts/caller';
import { errorAnswer, type Unreachable } from '@offizin/contracts/errors';
import type { CallKeys } from '@offizin/runtime/call-keys';
import { CALLER_TOKEN_HEADER, signCaller } from '@offizin/runtime/caller-token';
import { errorFields, log } from '@offizin/runtime/log';
import { unreachableCalls } from '@offizin/runtime/metrics';
import { currentTraceparent } from '@offizin/runtime/tracing';
import { pieceOfBody } from './body-garbage';
import { answerEarly } from './early-answer';
import { tooLarge } from './body-pieces';
import { breakOff } from './final-status';

/**
 * Core answers within this, or it counts as unreachable. Source: guarantees.md G10: the caller has its answer within a
 * second, and within five from a silent core; a little is left for the way to the caller.
 */
const CONNECT_TIMEOUT_MS = 800;
const ANSWER_TIMEOUT_MS = 4_700;
/** Connections to core of one process; who finds them taken, as by a core that hangs, is not left waiting in line. */
const MAX_CONNECTIONS = 256;

/**
 * Headers that identify the caller at the edge; behind it only the caller token counts. And two that are about the
 * connection to the caller: the wish for a 100 Continue (curl has it for bodies of 1 MB), which Node.js has answered, and
 * http-proxy tells nothing of a request that has it, so that no limit would hold for it; and the announcement of
 * trailers, at which Node.js throws where nobody catches it when the body is not chunked.
 */
const STRIPPED_HEADERS = new Set([
  'expect',
  'trailer',
  'authorization',
  'apikey',
  'x-api-key',
  'cookie',
  'x-forwarded-for',
  'x-forwarded-host',
]);

export interface ProxyOptions {
  target: string;
  keys: CallKeys;
  /** What the caller is told: 502 on the connector, 503 and 504 on the organization API. */
  unreachable: (why: 'refused' | 'timeout') => Unreachable;
}

interface Passage {
  maxBytes: number;
  timedOut: boolean;
  tooLarge: boolean;
  /** By performance.now(). */
  startedAtMs: number;
  /** It has no connection yet: the timer ends its wait. Null once it has one. */
  inLine: NodeJS.Timeout | null;
  /** It left the line: nothing of it may reach core any more. */
  leftLine: boolean;
}

/**
 * Streams a request with a document to order-core and its answer back, on Node's own request and response
 * (http-proxy-middleware through Express costs twice as much), buffering nothing. Every way in which core can fail to
 * answer ends in one contract error: refused, reset and truncated at once, a connection that hangs or is not to be had
 * within a second, a silent core within five seconds of the last byte of the body.
 */
export class CoreProxy {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: 64 });
  private readonly middleware: RequestHandler;
  private readonly passages = new WeakMap<IncomingMessage, Passage>();

  constructor(private readonly options: ProxyOptions) {
    this.middleware = createProxyMiddleware({
      // An address that is taken apart once, no plugin that makes another of each answer for a logger that is off, and
      // headers without holes (below): 107 -> 94 µs of a core per call, proxy alone before a silent core.
      target: partsOf(options.target),
      agent: this.agent,
      changeOrigin: true,
      ejectPlugins: true,
      plugins: [proxyEventsPlugin],
      on: {
        proxyReq: (upstream, request) => this.watch(upstream, request),
        proxyRes: (answer, _request, response) => {
          // While the edge drains, its answers end their connections; core's own word on that is about another one.
          if (response.getHeader('connection') === 'close') answer.headers.connection = 'close';
          else delete answer.headers.connection;
          // What nobody reads would keep the connection to core: its caller left before, or leaves now.
          if (response.destroyed) answer.destroy();
          response.once('close', () => {
            if (!response.writableEnded) answer.destroy();
          });
          // A reply that ends early must not leave the caller waiting for the rest.
          answer.once('close', () => {
            if (!answer.complete) breakOff(response, 502);
          });
        },
        error: (error, request, response) => this.fail(error, request, response),
      },
    });
  }

  /** Passes the request on as `caller`, with `url` as its path; the answer goes straight to `response`. */
  async pass(
    request: IncomingMessage,
    response: ServerResponse,
    way: { caller: Caller; url: string; maxBytes: number },
  ): Promise<void> {
    const headers = withoutIdentity(request.headers);
    const call = { method: request.method ?? '', url: way.url, headers };
    headers[CALLER_TOKEN_HEADER] = signCaller(this.options.keys, way.caller, call);
    const traceparent = currentTraceparent();
    if (traceparent !== null) headers['traceparent'] = traceparent;
    request.headers = headers;
    request.url = way.url;
    this.passages.set(request, {
      ...{ maxBytes: way.maxBytes, timedOut: false, tooLarge: false, leftLine: false },
      startedAtMs: performance.now(),
      inLine: setTimeout(() => this.turnAway(request, response), CONNECT_TIMEOUT_MS),
    });
    // The caller is gone before it had a connection.
    response.once('close', () => this.leaveLine(request));
    await this.middleware(request, response, (error) =>
      this.fail(error instanceof Error ? error : new Error(String(error)), request, response),
    );
  }

  close(): void {
    this.agent.destroy();
  }

  /** Takes a request that waits for a connection out of the line. False when it has one. */
  private leaveLine(request: IncomingMessage): boolean {
    const passage = this.passages.get(request);
    if (!passage?.inLine) return false;
    clearTimeout(passage.inLine);
    passage.inLine = null;
    passage.leftLine = true;
    request.unpipe();
    // What http-proxy listens for to end its own request. The agent then hands the connection on to the next in line.
    request.emit('aborted');
    return true;
  }

  private turnAway(request: IncomingMessage, response: ServerResponse): void {
    if (!this.leaveLine(request) || response.destroyed || response.headersSent) return;
    const error = new Error(`none of ${MAX_CONNECTIONS} connections to core became free`);
    this.answerUnreachable(error, request, response, 'refused');
  }

  /** Limits of time and size while the request is on its way. */
  private watch(upstream: ClientRequest, request: IncomingMessage): void {
    const passage = this.passages.get(request);
    if (!passage) return;
    if (passage.leftLine) {
      upstream.destroy();
      return;
    }
    if (passage.inLine) clearTimeout(passage.inLine);
    passage.inLine = null;
    const giveUp = (): void => {
      passage.timedOut = true;
      upstream.destroy();
    };
    let timer: NodeJS.Timeout | undefined;
    const wait = (timeoutMs: number, sinceMs = performance.now()): void => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, sinceMs + timeoutMs - performance.now());
    };
    const { startedAtMs } = passage;
    // The body may have ended before there was a connection.
    const waitForAnswer = (): void =>
      request.readableEnded ? wait(ANSWER_TIMEOUT_MS, startedAtMs) : clearTimeout(timer);
    // http-proxy asks when the request has its connection: a kept one, or one that is still being made.
    const { socket } = upstream;
    if (socket?.connecting) {
      wait(CONNECT_TIMEOUT_MS, startedAtMs);
      socket.once('connect', waitForAnswer);
    } else {
      waitForAnswer();
    }
    request.once('end', () => {
      if (!socket?.connecting) wait(ANSWER_TIMEOUT_MS);
    });
    for (const event of ['response', 'close', 'error'] as const)
      upstream.once(event, () => clearTimeout(timer));
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      pieceOfBody(chunk);
      size += chunk.length;
      if (size <= passage.maxBytes || passage.tooLarge) return;
      passage.tooLarge = true;
      upstream.destroy();
    });
  }

  private fail(
    error: Error,
    request: IncomingMessage,
    response: ServerResponse | { destroy: () => void },
  ): void {
    const passage = this.passages.get(request);
    if (!('writeHead' in response)) {
      response.destroy();
      return;
    }
    // The caller has left, or has its answer.
    if (response.destroyed || passage?.leftLine) return;
    if (response.headersSent) breakOff(response, 502);
    else if (passage?.tooLarge) answerEarly(request, response, errorAnswer(tooLarge(passage.maxBytes)));
    else this.answerUnreachable(error, request, response, passage?.timedOut ? 'timeout' : 'refused');
  }

  private answerUnreachable(
    error: Error,
    request: IncomingMessage,
    response: ServerResponse,
    why: 'refused' | 'timeout',
  ): void {
    unreachableCalls.inc({ service: 'order-core', via: 'http' });
    log.warn({ target: this.options.target, ...errorFields(error) }, 'core unreachable');
    answerEarly(request, response, errorAnswer(this.options.unreachable(why)));
  }
}

/** A new object: one from which fields were deleted is slow for all who read it after. */
function withoutIdentity(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept: IncomingHttpHeaders = {};
  for (const name in headers) if (!STRIPPED_HEADERS.has(name)) kept[name] = headers[name];
  return kept;
}

function partsOf(address: string): Pick<URL, 'protocol' | 'hostname' | 'host' | 'port'> & { path: string } {
  const { protocol, hostname, host, port, pathname: path } = new URL(address);
  return { protocol, hostname, host, port, path };
}

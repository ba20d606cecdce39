import { once } from 'node:events';
import {
  Agent,
  type ClientRequest,
  get,
  type IncomingHttpHeaders,
  IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { createProxyMiddleware, proxyEventsPlugin, type RequestHandler } from 'http-proxy-middleware';
import type { Caller } from '@offizin/contracts/calls/caller';
import { errorAnswer, Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { CALLER_TOKEN_HEADER, type CallKeys, signCaller } from '@offizin/runtime/call-keys';
import { FairShares } from '@offizin/runtime/fair-shares';
import { errorFields, log } from '@offizin/runtime/log';
import { unreachableCalls } from '@offizin/runtime/metrics';
import { currentTraceparent } from '@offizin/runtime/tracing';
import { pieceOfBody } from '@offizin/http-body/body-buffers';
import { joined, tooLarge, tooSlow, watchPace } from '@offizin/http-body/body-pieces';
import { type BodyBeginning, readBeginning } from '@offizin/http-body/read-body';
import { breakOff, respondEarly } from './response-status';

/** `perPartyBesideOthers` applies while other organizations are active. */
const CONNECTIONS = {
  name: 'connections to order-core',
  slots: 256,
  perParty: 160,
  perPartyBesideOthers: 48,
  waitMs: 2_000,
  maxWaiting: 256,
};

/** Shorter than core's (internal-http.ts): a call on a connection that core closes at that moment would be lost. */
const IDLE_CONNECTION_MS = 60_000;

/** Of one connection, besides those that `connection` names. Source: RFC 9110, 7.6.1 and 11.7. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Core accepts only the caller token. Node.js has already answered `expect`. */
const STRIPPED_HEADERS = new Set([
  'expect',
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
  /** 502 on the connector, 503 and 504 on the organization API. */
  unreachable: (why: 'refused' | 'timeout' | 'busy', method?: string) => Unreachable;
}

interface Passage extends PassageTimes {
  maxBytes: number;
  beginning: BodyBeginning;
  /** Why this class aborted the request to core. */
  ended: Refused | 'timeout' | null;
  startedAtMs: number;
  /** The address behind the host name of the target, once a connection to it is attempted. */
  address?: string | undefined;
  release: () => void;
}

/**
 * The beginning of a body is collected before a connection is acquired, so slow callers hold none. Each failure of core
 * ends in one contract error.
 */
export class CoreProxy {
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: IDLE_CONNECTION_MS });
  private readonly connections = new FairShares(CONNECTIONS);
  private readonly middleware: RequestHandler;
  private readonly passages = new WeakMap<IncomingMessage, Passage>();
  private hasReachedCore = false;

  constructor(private readonly options: ProxyOptions) {
    this.middleware = createProxyMiddleware({
      // The default plugins rebuild each answer for a disabled logger.
      target: partsOf(options.target),
      agent: this.agent,
      changeOrigin: true,
      ejectPlugins: true,
      plugins: [proxyEventsPlugin],
      // http-proxy would pass on core's hop-by-hop headers.
      selfHandleResponse: true,
      on: {
        proxyRes: (answer, _request, response) => {
          passBack(answer, response);
          answer.on('data', pieceOfBody);
          // An answer without a reader would hold the connection to core.
          if (response.destroyed) answer.destroy();
          response.once('close', () => {
            if (!response.writableEnded) answer.destroy();
          });
          // Truncated answer: the caller must not wait for the rest.
          answer.once('close', () => {
            if (!answer.complete) breakOff(response, 502);
          });
        },
        error: (error, request, response) => this.fail(error, request, response),
      },
    });
  }

  async pass(
    request: IncomingMessage,
    response: ServerResponse,
    route: { caller: Caller; url: string; maxBytes: number },
  ): Promise<void> {
    const passage = await this.begin(request, response, route);
    if (!passage) return;
    const headers = headersToCore(request, passage.beginning);
    const call = { method: request.method ?? '', url: route.url, headers };
    const { pieces, isWhole } = passage.beginning;
    headers[CALLER_TOKEN_HEADER] = signCaller(this.options.keys, route.caller, call, isWhole ? pieces : null);
    const traceparent = currentTraceparent();
    if (traceparent !== null) headers['traceparent'] = traceparent;
    request.headers = headers;
    request.url = route.url;
    this.passages.set(request, passage);
    // http-proxy calls `pipe` once it has created its request to core.
    const pipe = (upstream: ClientRequest): void => this.send(upstream, request, passage);
    Object.assign(request, { pipe });
    await this.middleware(request, response, (error) => {
      passage.release();
      this.fail(error instanceof Error ? error : new Error(String(error)), request, response);
    });
  }

  /**
   * Rejects until core has answered once, with any status: a new pod's first connection may be late or refused while
   * names and network policies spread. Later outages are answered call by call.
   */
  async checkCoreReached(): Promise<void> {
    if (this.hasReachedCore) return;
    const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
    const probe = get(this.options.target, { agent: this.agent, signal });
    const [answer] = (await once(probe, 'response').catch((error: unknown) => {
      throw new Error(`${this.options.target} has not answered yet: ${describeFailure(error)}`);
    })) as [IncomingMessage];
    answer.on('error', () => undefined).resume();
    this.hasReachedCore = true;
  }

  close(): void {
    this.agent.destroy();
  }

  private async begin(
    request: IncomingMessage,
    response: ServerResponse,
    { caller: { orgId }, maxBytes }: { caller: Caller; maxBytes: number },
  ): Promise<Passage | null> {
    let beginning: BodyBeginning | null = null;
    try {
      beginning = await readBeginning(request, orgId);
      const collectedAtMs = performance.now();
      const leave = this.connections.tryAcquire(orgId) ?? (await this.connectionFor(orgId, response));
      const { release: giveRoom } = beginning;
      const release = (): void => {
        leave();
        giveRoom();
      };
      const readyAtMs = performance.now();
      const waitedMs = beginning.waitedMs + readyAtMs - collectedAtMs;
      const bodyEndedAtMs = beginning.isWhole ? readyAtMs : null;
      const times = { bodyEndedAtMs, waitedMs, startedAtMs: readyAtMs };
      if (!response.destroyed) return { maxBytes, beginning, ...times, ended: null, release };
      release();
    } catch (error) {
      beginning?.release();
      if (!response.destroyed) this.refuse(error, request, response);
    }
    return null;
  }

  private async connectionFor(orgId: string, response: ServerResponse): Promise<() => void> {
    const left = new AbortController();
    const leave = (): void => left.abort();
    response.once('close', leave);
    return this.connections.acquire(orgId, left.signal).finally(() => response.off('close', leave));
  }

  private send(upstream: ClientRequest, request: IncomingMessage, passage: Passage): void {
    const { pieces, isWhole } = passage.beginning;
    upstream.once('close', passage.release);
    upstream.once('socket', (socket: Socket) => {
      passage.address = socket.remoteAddress;
      if (!socket.connecting) return;
      const note = (ip: string): void => void (passage.address = ip);
      // Many calls use the connection, one after the other: a listener that stayed would keep its call in memory.
      socket.on('connectionAttempt', note).once('connect', () => socket.off('connectionAttempt', note));
    });
    limitTime(upstream, request, passage, () => end(upstream, passage, 'timeout'));
    if (isWhole) {
      upstream.end(pieces.length > 0 ? joined(pieces) : undefined);
      return;
    }
    // For a DELETE without a length http-proxy announces an empty body: core would take this one for further requests.
    if (request.headers['content-length'] === '0') {
      upstream.removeHeader('content-length');
      upstream.setHeader('transfer-encoding', 'chunked');
    }
    for (const piece of pieces) upstream.write(piece);
    this.limitBody(upstream, request, passage);
    // The caller may have disconnected before http-proxy listened for it.
    if (request.destroyed) upstream.destroy();
    IncomingMessage.prototype.pipe.call(request, upstream);
  }

  private limitBody(upstream: ClientRequest, request: IncomingMessage, passage: Passage): void {
    const { maxBytes, beginning } = passage;
    let size = sizeOf(beginning.pieces);
    request.on('data', (piece: Buffer) => {
      pieceOfBody(piece);
      size += piece.length;
      if (size > maxBytes) end(upstream, passage, tooLarge(maxBytes));
    });
    const stopWatching = watchPace(request, () => end(upstream, passage, tooSlow()));
    request.once('end', stopWatching);
    upstream.once('close', stopWatching);
  }

  private fail(
    error: Error,
    request: IncomingMessage,
    response: ServerResponse | { destroy: () => void },
  ): void {
    if (!('writeHead' in response)) {
      response.destroy();
      return;
    }
    // The caller disconnected or was answered.
    if (response.destroyed) return;
    if (response.headersSent) {
      breakOff(response, 502);
      return;
    }
    const ended = this.passages.get(request)?.ended ?? 'refused';
    if (ended instanceof Refused) respondEarly(request, response, errorAnswer(ended));
    else this.answerUnreachable(error, request, response, ended);
  }

  private refuse(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const refusal = error instanceof Unreachable ? this.options.unreachable('busy') : error;
    respondEarly(request, response, errorAnswer(refusal));
  }

  private answerUnreachable(
    error: Error,
    request: IncomingMessage,
    response: ServerResponse,
    why: 'refused' | 'timeout',
  ): void {
    unreachableCalls.inc({ service: 'order-core', via: 'http' });
    const { startedAtMs, address } = this.passages.get(request) ?? { startedAtMs: performance.now() };
    const fields = {
      target: this.options.target,
      address,
      why: why === 'timeout' ? why : describeFailure(error),
      duration_ms: Math.round(performance.now() - startedAtMs),
    };
    log.warn({ ...fields, ...errorFields(error) }, 'core unreachable');
    respondEarly(request, response, errorAnswer(this.options.unreachable(why, request.method)));
  }
}

/** Node.js tries each address of a name, and then has one error for each in an error without a message. */
function describeFailure(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeFailure).join(', ');
  return error instanceof Error ? error.message : String(error);
}

function end(upstream: ClientRequest, passage: Passage, reason: Refused | 'timeout'): void {
  passage.ended ??= reason;
  upstream.destroy();
}

/**
 * Node.js frames the answer for the caller's connection. `answer` keeps all its headers: the agent reads core's
 * `keep-alive`.
 */
function passBack(answer: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) {
    answer.destroy();
    return;
  }
  const { statusCode = 502, statusMessage = '', headers } = answer;
  response.statusCode = statusCode;
  response.statusMessage = statusMessage;
  for (const name of endToEnd(headers)) response.setHeader(name, headers[name] ?? '');
  answer.pipe(response);
}

/** The names of the headers that are not of one connection. */
function endToEnd(headers: IncomingHttpHeaders): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  return Object.keys(headers).filter((name) => !HOP_BY_HOP.has(name) && !named.includes(name));
}

/**
 * Without the caller's identity. The signature covers the length of a complete body. A new object: V8 reads objects
 * with deleted keys slowly.
 */
function headersToCore(
  { method, headers }: IncomingMessage,
  { pieces, isWhole }: BodyBeginning,
): IncomingHttpHeaders {
  const passed: IncomingHttpHeaders = {};
  for (const name of endToEnd(headers)) if (!STRIPPED_HEADERS.has(name)) passed[name] = headers[name];
  const mayHaveBody = pieces.length > 0 || (method !== 'GET' && method !== 'HEAD');
  if (isWhole && mayHaveBody) passed['content-length'] = String(sizeOf(pieces));
  if (!isWhole && passed['content-length'] === undefined) passed['transfer-encoding'] = 'chunked';
  return passed;
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function partsOf(address: string): Pick<URL, 'protocol' | 'hostname' | 'host' | 'port'> & { path: string } {
  const { protocol, hostname, host, port, pathname: path } = new URL(address);
  return { protocol, hostname, host, port, path };
}

/** Deadlines after which core counts as unreachable; they include waits in the edge. Source: guarantees.md G10. */
const CONNECT_TIMEOUT_MS = 800;
const ANSWER_TIMEOUT_MS = 4_700;

interface PassageTimes {
  /** By performance.now(); null while the body is incomplete. */
  bodyEndedAtMs: number | null;
  /** The body may have been complete in the socket before this wait in the process. */
  waitedMs: number;
}

/** Calls `giveUp` when core does not connect, or not answer the complete body, in time. */
function limitTime(
  upstream: ClientRequest,
  request: IncomingMessage,
  passage: PassageTimes,
  giveUp: () => void,
): void {
  const answerTimeoutMs = ANSWER_TIMEOUT_MS - passage.waitedMs;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const wait = (timeoutMs: number, sinceMs = performance.now()): void => {
    stop();
    const own = setTimeout(
      // After a blocked event loop timers run before I/O: core's answer may be waiting to be read.
      () => setImmediate(() => timer === own && giveUp()),
      sinceMs + timeoutMs - performance.now(),
    );
    timer = own;
  };
  const waitForAnswer = (): void => {
    if (passage.bodyEndedAtMs === null) stop();
    else wait(answerTimeoutMs, passage.bodyEndedAtMs);
  };
  let isConnected = false;
  const connected = (): void => {
    isConnected = true;
    waitForAnswer();
  };
  upstream.once('socket', (socket: Socket) => {
    if (!socket.connecting) return connected();
    wait(Math.min(CONNECT_TIMEOUT_MS, answerTimeoutMs));
    socket.once('connect', connected);
  });
  if (passage.bodyEndedAtMs === null)
    request.once('end', () => {
      passage.bodyEndedAtMs = performance.now();
      if (isConnected) waitForAnswer();
    });
  for (const event of ['response', 'close', 'error'] as const) upstream.once(event, stop);
}

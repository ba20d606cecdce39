import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer, type Refused } from '@offizin/contracts/calls/errors';
import { ConnectionDeadlines } from '@offizin/runtime/connection-deadlines';
import { newRequestId, requestIdOf } from '@offizin/runtime/request-id';
import {
  answerAndClose,
  CONNECT_REFUSED,
  originForm,
  refusalOfBytes,
  refusalOfHead,
  TOO_MANY_PIPELINED,
} from './malformed-request';
import { bytesOf, Connection, type ConnectionLimits, ConnectionTable } from './connection-table';
import { breakOff, CALLER_LEFT, respondEarly } from './response-status';
import { closedConnections } from './edge-metrics';
import type { RequestRecords } from './request-records';
import type { TrustedProxies } from './trusted-proxies';

/** Further requests wait, and the socket is not read. */
const MAX_IN_WORK = 4;
/** Not counting the first request of each connection. */
const MAX_PIPELINED_IN_WORK = 8;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** The largest body must fit over a slow connection. */
export const REQUEST_TIMEOUT_MS = 120_000;

export interface FrontOptions {
  limits: ConnectionLimits;
  trusted: TrustedProxies;
  records: RequestRecords;
  unreadMs?: number;
}

/**
 * The HTTP server of an edge, below the framework (decision 0028). Each refusal is one answer in the contract's shape,
 * and closes its connection.
 */
export class EdgeFront {
  private readonly connections = new WeakMap<Socket, Connection>();
  private readonly table: ConnectionTable;
  private waitingBytes = 0;
  private pipelinedInWork = 0;
  private handler: RequestListener = () => undefined;

  constructor(private readonly options: FrontOptions) {
    this.table = new ConnectionTable(options.limits, options.trusted);
  }

  /** The caller must register `refuseBytes` for the server's event `clientError`. */
  serve(handler: RequestListener): Server {
    this.handler = handler;
    const server = createServer({
      // refusalOfHead checks Host, so that the error has the contract's shape.
      requireHostHeader: false,
      keepAliveTimeout: 65_000,
      headersTimeout: 10_000,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // With Node's default a slow head would last much longer.
      connectionsCheckingInterval: 2_000,
    });
    server.on('connection', (socket: Socket) => this.open(socket));
    server.on('request', (request, response) => this.take(request, response));
    server.on('checkContinue', (request, response) => {
      if (!refusalOfHead(request)) response.writeContinue();
      server.emit('request', request, response);
    });
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connect', (request, socket) => {
      this.refuseConnection(socket as Socket, CONNECT_REFUSED, 'CONNECT', requestIdFrom(request));
    });
    new ConnectionDeadlines(server, {
      unreadMs: this.options.unreadMs,
      onReset: () => closedConnections.inc({ why: 'unread' }),
    });
    return server;
  }

  private open(socket: Socket): void {
    const connection = new Connection(socket);
    if (!this.table.admit(connection)) {
      socket.destroy();
      return;
    }
    this.connections.set(socket, connection);
    connection.onAnswered = () => this.answered(connection);
    socket.once('close', () => this.forget(connection));
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(request.socket);
    if (!connection || connection.isClosing) return;
    connection.noteRequest(request, response);
    if (connection.waiting.length === 0 && this.mayBegin(connection))
      this.begin(connection, request, response);
    else this.wait(connection, request, response);
  }

  private begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    this.count(connection, response);
    const refusal = refusalOfHead(request);
    if (refusal) {
      this.dropWaiting(connection);
      return this.refuse(connection, request, response, refusal);
    }
    request.url = originForm(request.url ?? '');
    // Upgrade is ignored. The parser has stopped after this request.
    if (request.headers.upgrade !== undefined) response.setHeader('connection', 'close');
    this.handler(request, response);
  }

  private wait(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const bytes = bytesOf(request);
    if (this.waitingBytes + bytes > MAX_WAITING_BYTES || !this.table.mayPipeline(connection)) {
      closedConnections.inc({ why: 'pipeline' });
      connection.refused = 1;
      this.count(connection, response);
      this.refuse(connection, request, response, TOO_MANY_PIPELINED);
      return;
    }
    this.waitingBytes += bytes;
    connection.waiting.push({ request, response, bytes });
    connection.hold();
  }

  private answered(connection: Connection): void {
    const { waiting } = connection;
    if (connection.isOver) return;
    if (--connection.inWork > 0) this.pipelinedInWork--;
    connection.wasAnswered = true;
    connection.idleSinceMs = performance.now();
    // Even when closing: these requests arrived before the refused one.
    if (waiting.length > 0) this.beginWaiting(connection);
    if (connection.isClosing) {
      if (connection.inWork === 0 && waiting.length === 0) this.close(connection);
      return;
    }
    if (waiting.length === 0) connection.release();
    if (connection.inWork > 0) return;
    if (connection.lastRequest?.complete) connection.lastRequest = connection.lastResponse = null;
  }

  private beginWaiting(connection: Connection): void {
    while (this.mayBegin(connection)) {
      const next = connection.waiting.shift();
      if (!next) return;
      this.waitingBytes -= next.bytes;
      this.begin(connection, next.request, next.response);
    }
  }

  /** A connection that has begun none may always begin one, so connections never wait for each other. */
  private mayBegin({ inWork, refused }: Connection): boolean {
    return inWork === refused || (inWork < MAX_IN_WORK && this.pipelinedInWork < MAX_PIPELINED_IN_WORK);
  }

  private count(connection: Connection, response: ServerResponse): void {
    if (connection.inWork++ > 0) this.pipelinedInWork++;
    response.on('close', connection.onAnswered);
  }

  private forget(connection: Connection): void {
    connection.isOver = true;
    // Queued responses emit no `close`.
    this.pipelinedInWork -= Math.max(0, connection.inWork - 1);
    this.dropWaiting(connection);
  }

  private dropWaiting(connection: Connection): void {
    for (const { request, bytes } of connection.waiting.splice(0)) {
      this.waitingBytes -= bytes;
      this.options.records.refused(request.method, requestIdFrom(request), CALLER_LEFT);
    }
  }

  /** Answers before routing and closes the connection. */
  private refuse(
    connection: Connection,
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refused,
  ): void {
    connection.isClosing = true;
    connection.stopParsing();
    const requestId = requestIdFrom(request);
    const { status, body, headers } = errorAnswer(refusal);
    respondEarly(request, response, { status, body, headers: { ...headers, 'X-Request-Id': requestId } });
    this.options.records.refused(request.method, requestId, status);
  }

  /** For `clientError`: bytes that are not HTTP, or a request that did not arrive in time. */
  refuseBytes(error: NodeJS.ErrnoException, socket: Socket): void {
    const { code = '' } = error;
    const connection = this.connections.get(socket);
    const isHttp = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (!connection || !isHttp || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    if (connection.isClosing) return;
    const { lastRequest, lastResponse } = connection;
    if (lastRequest && lastResponse && !lastRequest.complete)
      this.refuseBody(connection, lastRequest, lastResponse, error);
    else this.refuseConnection(socket, refusalOfBytes(error), 'none');
  }

  /** The head was valid, but the body is malformed. */
  private refuseBody(
    connection: Connection,
    request: IncomingMessage,
    response: ServerResponse,
    error: NodeJS.ErrnoException,
  ): void {
    connection.isClosing = true;
    if (error.code === 'HPE_INVALID_EOF_STATE') connection.socket.destroy();
    else if (response.writableEnded) {
      if (connection.inWork === 0) this.close(connection);
    } else if (response.headersSent) breakOff(response, 400);
    else this.answerInstead(connection, request, response, refusalOfBytes(error));
  }

  private answerInstead(
    connection: Connection,
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refused,
  ): void {
    const { status, body, headers } = errorAnswer(refusal);
    const last = connection.waiting.at(-1);
    if (last?.request === request) {
      // The framework has not seen this request.
      connection.waiting.pop();
      this.waitingBytes -= last.bytes;
      connection.refused = 1;
      this.count(connection, response);
      this.options.records.refused(request.method, requestIdFrom(request), status);
    }
    if (!response.hasHeader('X-Request-Id')) response.setHeader('X-Request-Id', requestIdFrom(request));
    const text = JSON.stringify(body);
    const type = {
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    };
    response.writeHead(status, { ...headers, ...type, connection: 'close' }).end(text);
  }

  /** Refuses input that never reaches the framework, after the pending answers. */
  private refuseConnection(
    socket: Socket,
    refusal: Refused,
    method: string,
    requestId = newRequestId(),
  ): void {
    const connection = this.connections.get(socket);
    if (!connection) {
      socket.destroy();
      return;
    }
    connection.isClosing = true;
    connection.pendingRefusal = { refusal, method, requestId };
    if (connection.inWork === 0 && connection.waiting.length === 0) this.close(connection);
  }

  private close({ socket, pendingRefusal }: Connection): void {
    if (!pendingRefusal || !socket.writable) {
      socket.destroySoon();
      return;
    }
    const { refusal, method, requestId } = pendingRefusal;
    const { status, body, headers } = errorAnswer(refusal);
    answerAndClose(socket, { status, body, headers: { ...headers, 'x-request-id': requestId } });
    this.options.records.refused(method, requestId, status);
  }
}

function requestIdFrom({ headers }: IncomingMessage): string {
  return requestIdOf(headers['x-request-id']);
}

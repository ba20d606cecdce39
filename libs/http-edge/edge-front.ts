import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer, type Refused } from '@offizin/contracts/errors';
import { newRequestId, requestIdOf } from '@offizin/runtime/request-id';
import { answerAndClose } from './closing-answer';
import { bytesOf, Connection } from './connection';
import { type ConnectionLimits, ConnectionTable } from './connection-table';
import { respondEarly } from './respond-early';
import { closedConnections } from './edge-metrics';
import { breakOff, CALLER_LEFT } from './response-status';
import { CONNECT_REFUSED, refusalOfBytes, refusalOfHead, TOO_MANY_PIPELINED } from './malformed-request';
import type { RequestRecords } from './request-records';
import type { TrustedProxies } from './trusted-proxies';

/** Requests of one connection that are in work at once; further ones wait, and no more is read. */
const MAX_IN_WORK = 4;
/** Of a process, beyond the first of each connection. */
const MAX_PIPELINED_IN_WORK = 8;
/** Memory of all requests that wait in the process. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const LOOK_MS = 2_000;
/** After a pipeline an idle connection may hide unread answers in the system's buffers: it is not kept for long. */
const PIPELINE_IDLE_MS = 15_000;

export interface FrontOptions {
  limits: ConnectionLimits;
  trusted: TrustedProxies;
  records: RequestRecords;
  /** An answer of which a caller has read nothing for so long is given up, with its connection. */
  unreadMs?: number;
}

/**
 * The HTTP server of an edge, below the framework. It limits connections (connection-table.ts) and the requests in work
 * on each (connection.ts), and answers malformed requests (malformed-request.ts). It hands all others to the framework.
 * Each refusal is one answer in the contract's shape with a request id, and the last of its connection.
 */
export class EdgeFront {
  private readonly connections = new WeakMap<Socket, Connection>();
  private readonly table: ConnectionTable;
  private readonly unreadMs: number;
  private waitingBytes = 0;
  private pipelinedInWork = 0;
  private handler: RequestListener = () => undefined;

  constructor(private readonly options: FrontOptions) {
    this.table = new ConnectionTable(options.limits, options.trusted);
    this.unreadMs = options.unreadMs ?? 20_000;
  }

  /** The server that hands its requests to `handler`. `refuseBytes` must be added for its event clientError. */
  serve(handler: RequestListener): Server {
    this.handler = handler;
    const server = createServer({
      // Missing and doubled hosts are refused here, in the contract's shape.
      requireHostHeader: false,
      keepAliveTimeout: 65_000,
      // A head must be complete within 10 s and a request within 2 minutes (15 MiB over 1 Mbit/s).
      headersTimeout: 10_000,
      requestTimeout: 120_000,
      // The server looks for both this often; by default every 30 s, and then a slow head lives for up to 40 s.
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
    const looking = setInterval(() => this.closeUnread(), Math.min(LOOK_MS, this.unreadMs / 4));
    looking.unref();
    server.once('close', () => clearInterval(looking));
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
      this.refuse(connection, request, response, refusal);
      return;
    }
    // No other protocol is served, so the request is served as it is. The parser has stopped behind it.
    if (request.headers.upgrade !== undefined) response.setHeader('connection', 'close');
    this.handler(request, response);
  }

  private wait(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const bytes = bytesOf(request);
    if (this.waitingBytes + bytes > MAX_WAITING_BYTES || !this.table.mayPipeline(connection)) {
      closedConnections.inc({ why: 'pipeline' });
      this.count(connection, response);
      this.refuse(connection, request, response, TOO_MANY_PIPELINED);
      return;
    }
    this.waitingBytes += bytes;
    connection.hasPipelined = true;
    connection.waiting.push({ request, response, bytes });
    connection.hold();
  }

  private answered(connection: Connection): void {
    const { socket, waiting } = connection;
    if (connection.isOver) return;
    if (--connection.inWork > 0) this.pipelinedInWork--;
    connection.wasAnswered = true;
    connection.idleSinceMs = performance.now();
    // Also when it is closing: they came before the request that was refused.
    if (waiting.length > 0) this.beginWaiting(connection);
    if (connection.isClosing) {
      if (connection.inWork === 0 && waiting.length === 0) this.close(connection);
      return;
    }
    if (waiting.length === 0) connection.release();
    if (connection.inWork > 0) return;
    if (connection.hasPipelined) socket.setTimeout(PIPELINE_IDLE_MS);
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

  /** A connection without a request in work may always begin one, so none waits for others. */
  private mayBegin({ inWork }: Connection): boolean {
    return inWork === 0 || (inWork < MAX_IN_WORK && this.pipelinedInWork < MAX_PIPELINED_IN_WORK);
  }

  private count(connection: Connection, response: ServerResponse): void {
    if (connection.inWork++ > 0) this.pipelinedInWork++;
    response.on('close', connection.onAnswered);
  }

  private forget(connection: Connection): void {
    connection.isOver = true;
    // Responses that were behind another one do not hear of the end.
    this.pipelinedInWork -= Math.max(0, connection.inWork - 1);
    this.dropWaiting(connection);
  }

  /** Requests that will not be begun: their connection is closed, or a request before them was refused. */
  private dropWaiting(connection: Connection): void {
    for (const { request, bytes } of connection.waiting.splice(0)) {
      this.waitingBytes -= bytes;
      this.options.records.refused(request.method, requestIdFrom(request), CALLER_LEFT);
    }
  }

  /** Answers a request that no route sees. Its connection ends with this answer. */
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

  /** For the event `clientError`: bytes that are no HTTP, or a request whose rest does not come in time. */
  refuseBytes(error: NodeJS.ErrnoException, socket: Socket): void {
    const { code = '' } = error;
    const connection = this.connections.get(socket);
    const isHttp = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // A connection on which nothing was sent has no request to answer.
    if (!connection || !isHttp || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    // What follows the request that was refused is read and thrown away.
    if (connection.isClosing) return;
    const { lastRequest, lastResponse } = connection;
    if (lastRequest && lastResponse && !lastRequest.complete)
      this.refuseBody(connection, lastRequest, lastResponse, error);
    else this.refuseConnection(socket, refusalOfBytes(error), 'none');
  }

  /** The head of the request was fine and is in work or waits; its body is not. It has one answer, this or its own. */
  private refuseBody(
    connection: Connection,
    request: IncomingMessage,
    response: ServerResponse,
    error: NodeJS.ErrnoException,
  ): void {
    connection.isClosing = true;
    // Its caller has left in the middle of it.
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
      // No framework has begun its record.
      connection.waiting.pop();
      this.waitingBytes -= last.bytes;
      this.count(connection, response);
      this.options.records.refused(request.method, requestIdFrom(request), status);
    }
    if (!response.hasHeader('X-Request-Id')) response.setHeader('X-Request-Id', requestIdFrom(request));
    const text = JSON.stringify(body);
    const type = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    };
    response.writeHead(status, { ...headers, ...type, connection: 'close' }).end(text);
  }

  /** Refuses what is no request of the framework, behind the answers that are still to come. */
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

  private closeUnread(): void {
    const nowMs = performance.now();
    for (const connection of this.table.all()) {
      if (!connection.isUnread(nowMs, this.unreadMs)) continue;
      closedConnections.inc({ why: 'unread' });
      // The system throws away, too, what it has taken.
      connection.socket.resetAndDestroy();
    }
  }
}

function requestIdFrom({ headers }: IncomingMessage): string {
  return requestIdOf(headers['x-request-id']);
}

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { OperationServer } from '@offizin/bus/operation-server';
import { errorAnswer, noSuchPath, Refused } from '@offizin/contracts/calls/errors';
import {
  type DocumentFields,
  type Operation,
  type Pieces,
  subjectOf,
} from '@offizin/contracts/calls/operation';
import { allOperations } from '@offizin/contracts/operations';
import { routerPath } from '@offizin/contracts/calls/path-template';
import {
  CALLER_TOKEN_HEADER,
  type CallKeys,
  checkSender,
  type SignedCaller,
  verifyBody,
  verifyCaller,
} from '@offizin/runtime/call-keys';
import { queryStringOf } from '@offizin/operations/query-string';
import { deadBytes } from '@offizin/http-body/body-buffers';
import { type ReceivedBody, SMALL_BYTES } from '@offizin/http-body/body-pieces';
import { readBody } from '@offizin/http-body/read-body';
import {
  callHeaders,
  type OpenedBody,
  type OperationHandler,
  type ReceivedCall,
  refusalOf,
  refusalToWire,
  serveOperation,
  type WireAnswer,
} from '@offizin/operations/serve-operation';
import { ConnectionDeadlines } from '@offizin/runtime/connection-deadlines';
import { traceparentOf } from '@offizin/runtime/tracing';
import type { DocumentThreads } from '../documents/document-threads';

export interface InternalParts {
  threads: DocumentThreads;
  /** Observes what partners do at test shops. */
  certification: { observed: (op: Operation, handler: OperationHandler) => OperationHandler };
}

/**
 * The internal HTTP port serves operations whose bodies or replies may hold a document, because NATS stops at 1 MiB
 * (decision 0007). The edges proxy with an unchanged path and add the caller's token; a request without a valid token
 * is refused unread. The handlers are the Nest handlers that the bus calls, too.
 */
export async function startInternalHttp(
  server: OperationServer,
  keys: CallKeys,
  parts: InternalParts,
  address: { port: number; host: string },
): Promise<FastifyInstance> {
  const app = fastify({
    // Slightly longer than the edges allow for a body: 15 MiB over 1 Mbit/s take two minutes.
    requestTimeout: 130_000,
    // Longer than the edges keep an idle connection (core-proxy.ts).
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    // While the server closes, requests on open connections are still answered.
    return503OnClosing: false,
    // An over-long parameter cannot be an id of ours. The edges already refuse malformed URLs.
    frameworkErrors: (_error, _request, reply) => void send(reply, refusalToWire(noSuchPath())),
  });
  new ConnectionDeadlines(app.server);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) =>
    readSigned(request, payload),
  );
  for (const op of allOperations.filter((candidate) => candidate.via === 'http'))
    addRoute(app, op, server, { keys, ...parts });
  app.setErrorHandler((error, _request, reply) => send(reply, refusalToWire(refusalOfParser(error))));
  app.setNotFoundHandler((_request, reply) => send(reply, refusalToWire(noSuchPath())));
  await app.listen(address);
  return app;
}

/** Callers by their verified token; set before the body is read. */
const callers = new WeakMap<FastifyRequest, SignedCaller>();

function signedCallerOf(request: FastifyRequest): SignedCaller {
  const signed = callers.get(request);
  if (!signed) throw new Error('the caller of this request was not verified');
  return signed;
}

/** Throws `Refused` (unauthorized) when the body differs from the signed one, and as `readBody` does. */
async function readSigned(request: FastifyRequest, payload: IncomingMessage): Promise<ReceivedBody> {
  const signed = signedCallerOf(request);
  const body = await readBody(payload, request.routeOptions.bodyLimit, signed.caller.orgId);
  // The edges stream a larger body without signing it.
  if (signed.bodySha256 === null && body.bytes.length > SMALL_BYTES) return body;
  try {
    verifyBody(signed, body.bytes);
    return body;
  } catch (error) {
    body.release();
    throw error;
  }
}

function addRoute(
  app: FastifyInstance,
  op: Operation,
  server: OperationServer,
  { keys, threads, certification }: InternalParts & { keys: CallKeys },
): void {
  const handler = server.handlerOf(subjectOf(op));
  if (!handler) throw new Error(`no handler for ${op.name}`);
  const observed = certification.observed(op, handler);
  app.route({
    method: op.method,
    url: routerPath(op.path),
    bodyLimit: op.maxBodyBytes,
    // Before the body is read: a request without a token must not cost 15 MB of transfer.
    onRequest: (request, _reply, done) => {
      try {
        const token = header(request, CALLER_TOKEN_HEADER);
        const signed = verifyCaller(keys, token, request);
        checkSender(signed.sender, op, signed.caller);
        callers.set(request, signed);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
    errorHandler: (error, _request, reply) => void send(reply, refusalOf(op, refusalOfParser(error))),
    handler: async (request, reply) => {
      const body = (request.body ?? null) as ReceivedBody | null;
      const { caller } = signedCallerOf(request);
      const size = body?.bytes.length ?? 0;
      const received = {
        caller,
        isHead: request.method === 'HEAD',
        params: request.params as Record<string, string>,
        queryString: queryStringOf(request.url),
        headers: callHeaders((name) => header(request, name)),
        ...bodyOf(op, body, (bytes, parts) => threads.open(bytes, parts, caller.orgId)),
        traceparent: traceparentOf(request.headers['traceparent']),
      };
      // A HEAD shows the partner nothing.
      const serving = serveOperation(op, received.isHead ? handler : observed, received, server.around);
      const answer = await serving.finally(() => leave(body, size));
      if (answer.body instanceof Uint8Array) deadBytes(answer.body.length);
      return send(reply, answer);
    },
  });
}

const NO_BODY = Buffer.alloc(0);

/** node-postgres copies a parameter twice; both copies are garbage afterwards. */
function leave(body: ReceivedBody | null, size: number): void {
  body?.release();
  deadBytes(2 * size);
}

function bodyOf(
  op: Operation,
  body: ReceivedBody | null,
  opened: (bytes: Buffer, parts: { fields: DocumentFields; maxValues: number | null }) => Promise<OpenedBody>,
): Pick<ReceivedCall, 'body' | 'open'> {
  if (!body) return { body: NO_BODY };
  const { bytes } = body;
  const { documentFields: fields, maxBodyValues: maxValues } = op;
  if (fields.length === 0 || bytes.length <= SMALL_BYTES) return { body: bytes };
  return { body: NO_BODY, open: () => opened(bytes, { fields, maxValues }) };
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function send(reply: FastifyReply, answer: WireAnswer): FastifyReply {
  const { status, headers, body, pieces } = answer;
  reply.code(status).headers(headers);
  if (!pieces) return reply.send(body);
  const isRead = reply.request.method !== 'HEAD' && !reply.raw.destroyed;
  if (isRead) return reply.send(readableOf(pieces));
  void pieces.return();
  return reply.send('');
}

/** Asks for a piece when the reader has taken the one before. An error ends the connection without an end of the answer. */
function readableOf(pieces: Pieces): Readable {
  const iterable = { [Symbol.asyncIterator]: () => pieces };
  return Readable.from(iterable, { objectMode: false, highWaterMark: 1 });
}

/** Maps Fastify's own refusals, which happen before a handler runs, to the contract's codes. */
function refusalOfParser(error: unknown): unknown {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (error instanceof Refused || errorAnswer(error).status !== 500) return error;
  if (status === 413)
    return new Refused('payload_too_large', 'The body is larger than this operation takes.');
  if (status === 415) return new Refused('unsupported_media_type', 'The body must be application/json.');
  if (status === 400) return new Refused('invalid_request', 'The request cannot be read.');
  return error;
}

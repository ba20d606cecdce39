import type { IncomingMessage, ServerResponse } from 'node:http';
import { pieceOfBody } from '@offizin/http-body/body-buffers';
import { watchPace } from '@offizin/http-body/body-pieces';

/** nginx's "client closed request". */
export const CALLER_LEFT = 499;

/** Thrown to end a request that was answered while its guards ran. */
export class AlreadyAnswered extends Error {}

const cutOff = new WeakMap<ServerResponse, number>();

/** Aborts an answer whose head was sent; `status` is recorded for it. */
export function breakOff(response: ServerResponse, status: number): void {
  if (response.writableEnded) return;
  if (!response.destroyed) cutOff.set(response, status);
  response.destroy();
}

/** That of the answer only when all of it was sent. */
export function responseStatus(response: ServerResponse): number {
  // `writableFinished` can be true for an aborted response; only a detached socket proves that everything was sent.
  if (response.writableFinished && !response.socket) return response.statusCode;
  return cutOff.get(response) ?? CALLER_LEFT;
}

const DISCARD_MS = 5_000;

/**
 * Answers before the body is complete. The rest is discarded: closing early would reset the connection and could lose
 * the answer.
 */
export function respondEarly(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { status: number; body: object; headers: Record<string, string> },
): void {
  const bytes = Buffer.from(JSON.stringify(answer.body));
  response.writeHead(answer.status, {
    ...answer.headers,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    connection: 'close',
  });
  if (request.complete) {
    response.end(bytes);
    return;
  }
  response.write(bytes);
  const timer = setTimeout(() => response.end(), DISCARD_MS);
  request.once('end', () => response.end());
  for (const stream of [request, response]) stream.once('close', () => clearTimeout(timer));
  if (request.listenerCount('data') === 0) request.on('data', pieceOfBody);
  request.resume();
}

/** Discards the rest of a body; closes the connection if it is too slow. */
export function discardInPace(request: IncomingMessage): void {
  const stopWatching = watchPace(request, () => request.socket.destroy());
  request.once('end', stopWatching).once('close', stopWatching);
  if (request.listenerCount('data') === 0) request.on('data', pieceOfBody);
  request.resume();
}

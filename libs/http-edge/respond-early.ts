import type { IncomingMessage, ServerResponse } from 'node:http';
import { pieceOfBody } from '@offizin/http-body/body-buffers';
import { watchPace } from '@offizin/http-body/body-pace';

/** What is left of a refused body is read and thrown away for this long, so that the caller sees the answer. */
const DISCARD_MS = 5_000;

/**
 * Answers while the body is still on its way, and then closes. Closing at once would reset the connection under the
 * caller's writes, and the answer would be lost with it: so all of it is written, what still comes is thrown away, and
 * the end follows when the caller has finished or after five seconds.
 */
export function respondEarly(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { status: number; body: object; headers: Record<string, string> },
): void {
  const bytes = Buffer.from(JSON.stringify(answer.body));
  response.writeHead(answer.status, {
    ...answer.headers,
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

/** Throws away the rest of a body that was answered early; a connection that sends it too slowly is closed. */
export function discardInPace(request: IncomingMessage): void {
  const stopWatching = watchPace(request, () => request.socket.destroy());
  request.once('end', stopWatching).once('close', stopWatching);
  if (request.listenerCount('data') === 0) request.on('data', pieceOfBody);
  request.resume();
}

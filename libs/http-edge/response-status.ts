import type { ServerResponse } from 'node:http';

/** nginx's "client closed request": the caller disconnected before the answer was sent completely. */
export const CALLER_LEFT = 499;

/** Thrown to end a request that was answered while its guards ran, such as one with a malformed body. */
export class AlreadyAnswered extends Error {}

/** Statuses of truncated answers. */
const cutOff = new WeakMap<ServerResponse, number>();

/** Aborts an answer whose head was sent; `status` is recorded for it. A completely written answer is left alone. */
export function breakOff(response: ServerResponse, status: number): void {
  if (response.writableEnded) return;
  if (!response.destroyed) cutOff.set(response, status);
  response.destroy();
}

/** The status to record for a closed response: that of the answer only when all of it was sent. */
export function responseStatus(response: ServerResponse): number {
  // `writableFinished` can be true for an aborted response; only a detached socket proves that everything was sent.
  if (response.writableFinished && !response.socket) return response.statusCode;
  return cutOff.get(response) ?? CALLER_LEFT;
}

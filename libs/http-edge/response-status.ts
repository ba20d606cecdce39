import type { ServerResponse } from 'node:http';

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

import type { ServerResponse } from 'node:http';

/** "Client closed request", as nginx calls it: the caller left before the last byte of the answer was on its way. */
export const CALLER_LEFT = 499;

/** Ends a request that was answered while its guards were running, such as one whose body turned out to be malformed. */
export class AlreadyAnswered extends Error {}

/** Statuses of answers that were ended before they were whole. */
const cutOff = new WeakMap<ServerResponse, number>();

/**
 * Ends an answer whose head was sent and whose rest will not come; `status` says why in the records of the request. An
 * answer that is whole is left alone: it may still be on its way.
 */
export function breakOff(response: ServerResponse, status: number): void {
  if (response.writableEnded) return;
  if (!response.destroyed) cutOff.set(response, status);
  response.destroy();
}

/** The status of a request whose response is closed: that of its answer only when all of it was written. */
export function responseStatus(response: ServerResponse): number {
  // Node takes the connection from a response that is finished; of one that is torn off it may say it was, too.
  if (response.writableFinished && !response.socket) return response.statusCode;
  return cutOff.get(response) ?? CALLER_LEFT;
}

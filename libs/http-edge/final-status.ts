import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** "Client closed request", as nginx calls it: the caller left before the last byte of the answer was on its way. */
const CALLER_LEFT = 499;

/** Statuses of answers that ended before they were whole, by what was ended: their response, or their connection. */
const cutOff = new WeakMap<ServerResponse | Socket, number>();

/** Ends an answer whose head was sent and whose rest will not come; `status` says why in the records of the request. */
export function breakOff(response: ServerResponse, status: number): void {
  if (!response.destroyed) cutOff.set(response, status);
  response.destroy();
}

/** Learns why Node ends a connection: a body that does not come in time, or that is no HTTP. */
export function watchConnections(server: Server): void {
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    const status = statusOfClientError(code);
    if (status !== null) cutOff.set(socket, status);
  });
}

/** What Fastify writes to the connection then; null when it is gone. */
function statusOfClientError(code: string): number | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 400 : null;
}

/** The status of a request whose response is closed: that of its answer only when all of it was written. */
export function finalStatus(response: ServerResponse, connection: Socket): number {
  // Node takes the connection from a response that is finished; of one that is torn off it may say it was, too.
  if (response.writableFinished && !response.socket) return response.statusCode;
  return cutOff.get(response) ?? cutOff.get(connection) ?? CALLER_LEFT;
}

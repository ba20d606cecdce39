import type { Server } from 'node:http';

/**
 * From now on each answer closes its connection (`connection: close`). Callers with keep-alive connections then
 * connect to another replica, instead of losing a request on a connection that is being closed.
 */
export function endConnectionsAfterAnswers(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
}

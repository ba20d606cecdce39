import type { Server } from 'node:http';

/** Callers with keep-alive then connect to another replica, instead of losing a request on a closing connection. */
export function endConnectionsAfterAnswers(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
}

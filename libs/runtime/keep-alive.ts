import type { Server } from 'node:http';

/**
 * From now on each answer is the last one of its connection, and says so. Callers that keep connections (balancers, the
 * edges, browsers) then make their next one to another replica, instead of losing a request to a closing one.
 */
export function endConnectionsAfterAnswers(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
}

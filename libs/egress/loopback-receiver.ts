/** Tests only: real servers on loopback that count their connections. */
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type Server, type Socket, createServer as createTcpServer } from 'node:net';
import type { EgressRequest } from './send';

export interface Receiver {
  port: number;
  url: string;
  connections: number;
  open: Set<Socket>;
}

const running: (() => void)[] = [];

export function closeReceivers(): void {
  for (const close of running.splice(0)) close();
}

export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<Receiver> {
  const receiver: Receiver = { port: 0, url: '', connections: 0, open: new Set() };
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1;
    receiver.open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => receiver.open.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  running.push(() => {
    server.close();
    for (const socket of receiver.open) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  receiver.port = address.port;
  receiver.url = `http://127.0.0.1:${receiver.port}/hook`;
  return receiver;
}

export function httpReceiver(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host?: string,
  port?: number,
): Promise<Receiver> {
  return listen(createServer(answer), host, port);
}

export function rawReceiver(answer: (socket: Socket) => void): Promise<Receiver> {
  return listen(createTcpServer((socket) => void socket.once('data', () => answer(socket))));
}

export function post(url: string, changes: Partial<EgressRequest> = {}): EgressRequest {
  return {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    timeoutMs: 5_000,
    maxResponseBytes: 1_024,
    ...changes,
  };
}

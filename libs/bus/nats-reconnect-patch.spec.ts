import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { NodeTransport } from 'nats/lib/src/node_transport';
import { eventually } from '@offizin/testkit/eventually';
import { closeAbandonedTransports, reportFailedAttempts } from './nats-reconnect-patch';

let server: Server;
let port: number;
const sockets: Socket[] = [];

beforeAll(async () => {
  closeAbandonedTransports();
  server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

it('closes an abandoned connection attempt and ignores its end', async () => {
  const transport = new NodeTransport();
  let isReported = false;
  void transport.closed().then(() => (isReported = true));
  void transport.connect({ hostname: '127.0.0.1', port, tlsName: '' }, {}).catch(() => undefined);
  const socket = await eventually('the connection', () => sockets[0]);
  // Without resume() this side never sees the end.
  socket.resume();

  transport.discard();
  await eventually('its end', () => socket.destroyed || socket.readableEnded);
  socket.destroy();
  expect(isReported).toBe(false);
});

it('reports why an attempt failed, with the name of the connection', async () => {
  const reported: unknown[] = [];
  reportFailedAttempts((name, error) => reported.push([name, error]));
  const host = { hostname: '127.0.0.1', port: 1, tlsName: '' };
  await expect(new NodeTransport().connect(host, { name: 'catalog' })).rejects.toThrow();
  expect(reported).toEqual([['catalog', expect.objectContaining({ code: 'CONNECTION_REFUSED' })]]);
});

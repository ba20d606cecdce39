import { createServer, type Server, type Socket } from 'node:net';
import { connect } from 'nats';
import { NodeTransport } from 'nats/lib/src/node_transport';
import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { closeAbandonedTransports, connectionOptions, reportFailedAttempts, sayOnce } from './connection';

it('wants TLS for tls:// only, with the authority given', () => {
  const address = { natsUrl: 'tls://a:4222,tls://b:4222', natsUser: 'catalog', natsPassword: 'p1' };
  expect(connectionOptions(address)).toMatchObject({ servers: ['tls://a:4222', 'tls://b:4222'], tls: {} });
  expect(connectionOptions({ ...address, natsTlsCaFile: '/ca.crt' }).tls).toEqual({ caFile: '/ca.crt' });
  expect(connectionOptions({ ...address, natsUrl: 'nats://a:4222' })).not.toHaveProperty('tls');
});

it('sends no password with tls:// to a server that offers no TLS', async () => {
  const broker = await TestBroker.start();
  const natsUrl = broker.login.natsUrl.replace('nats://127.0.0.1', 'tls://localhost');
  const options = connectionOptions({ ...broker.login, natsUrl });
  await expect(connect({ ...options, reconnect: false })).rejects.toThrow('tls');
  await broker.stop();
});

it('logs a line again after a minute, and another line immediately', () => {
  const said: string[] = [];
  const at = (seconds: number, line: string) => sayOnce(line, () => said.push(line), seconds * 1_000);
  at(1, 'a');
  at(2, 'a');
  at(3, 'b');
  at(60, 'a');
  at(61, 'a');
  expect(said).toEqual(['a', 'b', 'a']);
});

let server: Server;
let port: number;
const sockets: Socket[] = [];

beforeAll(async () => {
  closeAbandonedTransports();
  server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  port = await listenOnLoopback(server);
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

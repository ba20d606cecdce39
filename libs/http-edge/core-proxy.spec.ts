import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Unreachable } from '@offizin/contracts/errors';
import { CallerTokens } from '@offizin/runtime/caller-token';
import { http } from '@offizin/testkit/http';
import { CoreProxy } from './core-proxy';

/** A core whose host takes no connection any more: nothing refuses, nothing answers. */
const OPEN_WITHIN_MS = 200;
const SCRIPT = `const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;

let silent: ChildProcess;
let queued: Socket[];
let proxy: CoreProxy;
let edge: Server;

beforeEach(async () => {
  silent = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(silent.stdout ?? silent, 'data')) as [Buffer];
  const port = Number(line.toString());
  silent.kill('SIGSTOP');
  queued = [];
  // Until its queue is full, and the kernel answers no more.
  do queued.push(connect(port, '127.0.0.1'));
  while (await isOpened(queued.at(-1)));
  proxy = new CoreProxy({
    target: `http://127.0.0.1:${port}`,
    tokens: new CallerTokens('secret'),
    unreachable: (why) => new Unreachable('core_unreachable', why),
  });
  const caller = {
    kind: 'integration',
    orgId: '',
    shopId: null,
    actorId: '',
    scopes: [],
    requestId: '',
  } as const;
  edge = createServer((request, response) => {
    void proxy.pass(request, response, { caller: { ...caller, scopes: [] }, url: '/', maxBytes: 100 });
  });
  edge.listen(0, '127.0.0.1');
  await once(edge, 'listening');
});
afterEach(() => {
  for (const socket of queued) socket.destroy();
  proxy.close();
  edge.closeAllConnections();
  edge.close();
  silent.kill('SIGKILL');
});

async function isOpened(socket: Socket | undefined): Promise<boolean> {
  const limit = AbortSignal.timeout(OPEN_WITHIN_MS);
  return once(socket ?? edge, 'connect', { signal: limit }).then(
    () => true,
    () => false,
  );
}

it.each(['GET', 'POST'])('a %s is given up soon when core takes no connection', async (method) => {
  const { port } = edge.address() as AddressInfo;
  const body = method === 'POST' ? { some: 'body' } : undefined;
  const answer = await http(`http://127.0.0.1:${port}/`, { method, body });
  expect(answer.status).toBe(502);
  expect(answer.body.toString()).toContain('timeout');
  // A core that took the connection and is silent is waited for much longer.
  expect(answer.durationMs).toBeLessThan(3_000);
});

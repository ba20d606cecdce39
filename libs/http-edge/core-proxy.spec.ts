import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type Server,
} from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { CALLER_TOKEN_HEADER } from '@offizin/runtime/call-keys';
import { keysFor } from '@offizin/testkit/call-keys';
import { eventually } from '@offizin/testkit/eventually';
import { forcedCollections } from '@offizin/testkit/forced-collections';
import { http } from '@offizin/testkit/http';
import { closeServer, listenOnLoopback } from '@offizin/testkit/loopback';
import { rawHttp } from '@offizin/testkit/raw-http';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { CoreProxy } from './core-proxy';

/** A core whose host neither accepts nor refuses a connection. */
const OPEN_WITHIN_MS = 200;
const MAX_BYTES = 200_000;
const SCRIPT = `const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;

let silent: ChildProcess;
let queued: Socket[];
let proxy: CoreProxy;
let edge: Server;
let edgeUrl: string;
let answeredAfterMs: number[];

beforeEach(async () => {
  silent = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(silent.stdout ?? silent, 'data')) as [Buffer];
  const port = Number(line.toString());
  silent.kill('SIGSTOP');
  queued = [];
  // Fill the accept queue, so that the kernel stops answering.
  do queued.push(connect(port, '127.0.0.1'));
  while (await isOpened(queued.at(-1)));
  await putBefore(port);
});
afterEach(async () => {
  for (const socket of queued) socket.destroy();
  await takeAway();
  silent.kill('SIGKILL');
});

async function putBefore(port: number): Promise<void> {
  proxy = new CoreProxy({
    target: `http://127.0.0.1:${port}`,
    keys: keysFor('connector-edge'),
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
  answeredAfterMs = [];
  edge = createServer((request, response) => {
    const arrivedAtMs = performance.now();
    response.once('finish', () => answeredAfterMs.push(performance.now() - arrivedAtMs));
    void proxy.pass(request, response, { caller: { ...caller, scopes: [] }, url: '/', maxBytes: MAX_BYTES });
  });
  edgeUrl = `http://127.0.0.1:${await listenOnLoopback(edge)}/`;
}

async function takeAway(): Promise<void> {
  proxy.close();
  await closeServer(edge);
}

async function isOpened(socket: Socket | undefined): Promise<boolean> {
  const limit = AbortSignal.timeout(OPEN_WITHIN_MS);
  return once(socket ?? edge, 'connect', { signal: limit }).then(
    () => true,
    () => false,
  );
}

it.each(['GET', 'POST'])('fails a %s soon when core accepts no connection', async (method) => {
  const body = method === 'POST' ? { some: 'body' } : undefined;
  const answer = await http(edgeUrl, { method, body });
  expect(answer.status).toBe(502);
  expect(answer.body.toString()).toContain('timeout');
  // The deadline for a silent core is much longer.
  expect(answer.durationMs).toBeLessThan(3_000 * SLOWNESS);
});

it('has not reached a core that accepts no connection', async () => {
  await expect(proxy.checkCoreReached()).rejects.toThrow(/has not answered yet/);
});

it('fails a body that waits for 100 Continue (as from curl) just as soon', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': '2', expect: '100-continue' };
  const startedAtMs = performance.now();
  const outgoing = httpRequest(edgeUrl, { method: 'POST', headers });
  outgoing.once('continue', () => outgoing.end('{}'));
  outgoing.on('error', () => undefined);
  outgoing.flushHeaders();
  const [answer] = (await once(outgoing, 'response', { signal: AbortSignal.timeout(8_000) })) as [
    IncomingMessage,
  ];
  expect(answer.statusCode).toBe(502);
  expect(await text(answer)).toContain('timeout');
  expect(performance.now() - startedAtMs).toBeLessThan(3_000 * SLOWNESS);
});

describe('a core that accepts every connection and never answers', () => {
  const CALLERS = 300;
  const OF_ONE_ORGANIZATION = 160;
  /** G10, plus a margin: callers, edge and core share one event loop. Less than WAIT_MS more than the deadline. */
  const ANSWERED_WITHIN_MS = 6_500;
  // A processor that others use as well may miss the margin once. The failure is printed.
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
  /** Less than a call may wait for memory or for a connection. */
  const WAIT_MS = 1_600;
  let received: string;
  let core: ReturnType<typeof createTcpServer>;
  let held: Socket[];

  beforeEach(async () => {
    await takeAway();
    received = '';
    held = [];
    core = createTcpServer((socket) => {
      held.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    });
    await putBefore(await listenOnLoopback(core));
  });
  afterEach(async () => {
    for (const socket of held) socket.destroy();
    core.close();
    await once(core, 'close');
  });

  const callers = (count: number, name: string, bytes = 0) =>
    Array.from({ length: count }, (_, n) =>
      http(edgeUrl, {
        method: 'POST',
        body: JSON.stringify({ caller: `${name}-${n}` }).padEnd(bytes),
        headers: { 'content-type': 'application/json' },
      }),
    );

  it('limits the wait for a connection, and never sends a refused request', async () => {
    const answers = await Promise.all(callers(CALLERS, 'first'));
    expect(answers.filter(({ status }) => status !== 502)).toEqual([]);
    expect(answeredAfterMs).toHaveLength(CALLERS);
    expect(Math.max(...answeredAfterMs)).toBeLessThan(ANSWERED_WITHIN_MS * SLOWNESS);
    const refused = answers.flatMap(({ body }, n) => (body.toString().includes('busy') ? [n] : []));
    expect(refused.length).toBeGreaterThan(0);
    // A refused request that was still queued would be sent ahead of this one.
    const later = callers(1, 'later');
    await eventually('the later request to be sent', () => received.includes('later-0'));
    for (const n of refused) expect(received).not.toContain(`"first-${n}"`);
    await Promise.all(later);
  }, 40_000);

  // Limits per organization; of a larger body the edge collects only the beginning.
  it.each([
    ['a connection', 100, OF_ONE_ORGANIZATION],
    ['memory', 64 * 1024, 128],
    // Little more than its beginning: all bodies must arrive well before the deadline of their answers.
    ['memory, with a body that is streamed', 80 * 1024, 128],
  ])(
    'counts the wait of a call for %s',
    async (_for, bytes, slots) => {
      let answering = true;
      const taken = new Set<Socket>();
      core.on('connection', (socket: Socket) =>
        socket.on('data', () => {
          if (answering) taken.add(socket);
        }),
      );
      const first = callers(slots, 'first', bytes);
      await eventually('all slots to be taken', () => taken.size === slots);
      const second = callers(10, 'second', bytes);
      const connections = promisify(edge.getConnections.bind(edge));
      await eventually('the others to wait', async () => (await connections()) === slots + 10);
      const waitingFromMs = performance.now();
      await eventually('a long wait', () => performance.now() - waitingFromMs > WAIT_MS);
      answering = false;
      for (const socket of taken) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      expect([...new Set((await Promise.all(first)).map(({ status }) => status))]).toEqual([200]);
      answeredAfterMs = [];
      for (const { status, body } of await Promise.all(second)) {
        expect(status).toBe(502);
        expect(body.toString()).toContain('timeout');
      }
      expect(Math.max(...answeredAfterMs)).toBeLessThan(ANSWERED_WITHIN_MS * SLOWNESS);
    },
    40_000,
  );
});

it('survives a caller that announces trailers and sends none', async () => {
  const answer = await rawHttp(edgeUrl, {
    head: ['GET / HTTP/1.1', 'Host: edge', 'Trailer: X-Sum'],
  });
  expect(answer.status).toBe(502);
});

describe('headers of one connection', () => {
  const OF_THE_HOP = {
    connection: 'keep-alive, X-Hop',
    'x-hop': '1',
    'keep-alive': 'timeout=99',
    'proxy-connection': 'keep-alive',
    te: 'trailers',
    upgrade: 'h2c',
  };
  let core: Server;
  let received: IncomingHttpHeaders[];
  let bodies: string[];

  beforeEach(async () => {
    await takeAway();
    received = [];
    bodies = [];
    core = createServer((request, response) => {
      received.push(request.headers);
      void text(request).then((body) => {
        bodies.push(body);
        const further = { 'proxy-authenticate': 'Basic', 'x-kept': 'by core' };
        response.writeHead(200, { ...OF_THE_HOP, ...further }).end('pieces');
      });
    });
    await putBefore(await listenOnLoopback(core));
  });
  afterEach(() => {
    core.closeAllConnections();
    core.close();
  });

  it('are passed on in neither direction, the others are', async () => {
    const headers = { ...OF_THE_HOP, 'proxy-authorization': 'Basic eDp5', 'x-kept': 'by the caller' };
    const answer = await http(edgeUrl, { headers });
    const own = ['connection', 'date', 'keep-alive', 'transfer-encoding'];
    expect(Object.keys(answer.headers).sort()).toEqual([...own, 'x-kept']);
    expect(answer.headers).toMatchObject({ 'x-kept': 'by core', 'keep-alive': 'timeout=5' });
    expect(answer.body.toString()).toBe('pieces');
    const { host, [CALLER_TOKEN_HEADER]: token, ...others } = received[0] ?? {};
    expect([typeof host, typeof token]).toEqual(['string', 'string']);
    expect(others).toEqual({ connection: 'keep-alive', 'x-kept': 'by the caller' });
  });

  it.each(['DELETE', 'POST'])('a %s without a length keeps its body in one request', async (method) => {
    // More than an edge collects before it asks core.
    const body = 'GET /further HTTP/1.1\r\nhost: core\r\n\r\n'.repeat(2_500);
    const answer = await rawHttp(edgeUrl, {
      head: [`${method} / HTTP/1.1`, 'Host: edge', 'Transfer-Encoding: chunked', 'Connection: close'],
      body: [Buffer.from(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)],
    });
    expect(answer.status).toBe(200);
    expect(bodies).toEqual([body]);
  });
});

describe('a core that answers with documents', () => {
  const MIB = 1024 * 1024;
  let core: Server;

  beforeEach(async () => {
    await takeAway();
    const document = Buffer.alloc(MIB, 'x');
    core = createServer((_request, response) => response.end(document));
    await putBefore(await listenOnLoopback(core));
  });
  afterEach(() => {
    core.closeAllConnections();
    core.close();
  });

  it('has been reached by its first answer, also when it ends later', async () => {
    await proxy.checkCoreReached();
    core.closeAllConnections();
    core.close();
    await proxy.checkCoreReached();
  });

  it('leaves no listener on a connection that is used again, and closes it before core does', async () => {
    const opened: Socket[] = [];
    const note = (message: unknown): void => void opened.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', note);
    for (let read = 0; read < 3; read++) await http(edgeUrl);
    unsubscribe('net.client.socket', note);
    const { port } = core.address() as AddressInfo;
    const toCore = opened.filter(({ remotePort }) => remotePort === port);
    expect(toCore.map((socket) => socket.listenerCount('connectionAttempt'))).toEqual([0]);
    // Node.js follows the limit in core's `Keep-Alive` only where the agent has a longer one.
    expect(toCore.map(({ timeout }) => timeout)).toEqual([core.keepAliveTimeout - 1_000]);
  });

  it('collects their pieces while they are young', async () => {
    const collections = await forcedCollections(async () => {
      for (let read = 0; read < 40; read++) await http(edgeUrl);
    });
    expect(collections).toBeGreaterThanOrEqual(4);
  });
});

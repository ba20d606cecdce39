import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually } from '@offizin/testkit/eventually';
import { closeServer, listenOnLoopback } from '@offizin/testkit/loopback';
import { parseAnswers, untilEnd } from '@offizin/testkit/raw-http';
import type { ConnectionLimits } from './connection-table';
import { EdgeFront, type FrontOptions } from './edge-front';
import { RequestRecords } from './request-records';
import { TrustedProxies } from './trusted-proxies';

const UNREAD_MS = 1_000;
const MANY = { maxConnections: 100, maxConnectionsPerAddress: 100 };
let server: Server;
let port: number;
let accepted: Socket[];
let callers: Socket[];

async function start(
  handler: RequestListener,
  {
    trusted = new TrustedProxies(''),
    unreadMs = UNREAD_MS,
    ...limits
  }: Partial<ConnectionLimits & FrontOptions> = {},
): Promise<void> {
  const front = new EdgeFront({
    limits: { ...MANY, ...limits },
    unreadMs,
    trusted,
    records: new RequestRecords(() => 'none'),
  });
  server = front.serve(handler);
  server.on('clientError', (error, socket) => front.refuseBytes(error, socket as Socket));
  accepted = [];
  callers = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  port = await listenOnLoopback(server);
}

afterEach(async () => {
  for (const socket of callers) socket.destroy();
  await closeServer(server);
});

const url = (): string => `http://127.0.0.1:${port}`;

async function open(localAddress = '127.0.0.1', allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen });
  callers.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const answer = (response: ServerResponse, text = ''): void => {
  response.writeHead(200, { 'content-length': Buffer.byteLength(text) }).end(text);
};

async function isAnswered(socket: Socket): Promise<boolean> {
  socket.write(get('/'));
  const first = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return Buffer.isBuffer(first[0]);
}

/** How many bytes still arrive. */
async function readRest(socket: Socket): Promise<number> {
  let received = 0;
  socket.on('data', (piece) => (received += piece.length)).resume();
  await eventually('the end of the connection', () => socket.readableEnded || socket.destroyed);
  return received;
}

describe('pipelined requests', () => {
  it('are answered in order, at most four in work', async () => {
    const open: (() => void)[] = [];
    let most = 0;
    await start(({ url: path = '' }, response) => {
      open.push(() => answer(response, path));
      most = Math.max(most, open.length);
      setImmediate(() => open.pop()?.());
    });
    const count = 150;
    const paths = Array.from({ length: count }, (_, index) => `/${index}`);
    const bytes = paths.map((path) => get(path, `X-Filler: ${'x'.repeat(1_000)}\r\n`)).join('');
    const answers = parseAnswers(await untilEnd(url(), bytes + get('/last', 'Connection: close\r\n')));
    expect(answers.map(({ body }) => body)).toEqual([...paths, '/last']);
    expect(most).toBe(4);
  });

  it('are not read while the first ones are unanswered', async () => {
    const held: ServerResponse[] = [];
    await start((_, response) => held.push(response));
    const socket = await open();
    const megabytes = Buffer.from(get('/', `X-Filler: ${'x'.repeat(1_000)}\r\n`).repeat(4_000));
    socket.write(megabytes);
    await eventually('four to be begun', () => held.length === 4);
    for (let turn = 0; turn < 20; turn++) {
      const other = untilEnd(url(), get('/', 'Connection: close\r\n'));
      await eventually('the other request', () => held.length === 5);
      answer(held.pop() as ServerResponse);
      await other;
    }
    expect(held).toHaveLength(4);
    expect(accepted[0]?.bytesRead).toBeLessThanOrEqual(2 * 65_536);
  });

  it('are refused once beyond the burst of an address, and the connection closes', async () => {
    await start((_, response) => setImmediate(() => answer(response)));
    const tiny = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n';
    const answers = parseAnswers(await untilEnd(url(), tiny.repeat(10_000)));
    const last = answers.pop();
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    expect(answers.length).toBeGreaterThan(200);
    expect(answers.length).toBeLessThan(300);
    expect([last?.status, JSON.parse(last?.body ?? '')]).toEqual([
      429,
      { error: 'rate_limited', message: expect.any(String) },
    ]);
    expect(last?.headers).toMatchObject({ connection: 'close', 'x-request-id': expect.any(String) });
  });

  it('are answered before the refusal while others use all places for pipelines', async () => {
    const held: ServerResponse[] = [];
    await start(({ url: path }, response) => {
      if (path === '/held') held.push(response);
      else setImmediate(() => answer(response));
    });
    for (let count = 1; count <= 4; count++) (await open()).write(get('/held').repeat(4));
    await eventually('all places to be used', () => held.length === 12);
    const answers = parseAnswers(await untilEnd(url(), get('/').repeat(2_000)));
    expect(answers.at(-1)?.status).toBe(429);
    expect(answers.length).toBeGreaterThan(150);
  });

  it('are counted per address', async () => {
    await start((_, response) => setImmediate(() => answer(response)));
    const greedy = await open('127.0.0.2');
    greedy.write(get('/').repeat(2_000));
    await eventually('the end of its connection', () => accepted[0]?.destroyed === true);
    const answers = parseAnswers(
      await untilEnd(url(), get('/').repeat(9) + get('/', 'Connection: close\r\n')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it('free their memory when the connection closes', async () => {
    let held: ServerResponse[] | null = [];
    const large = get('/', `X-Filler: ${'x'.repeat(7_000)}\r\n`);
    await start((_, response) => {
      if (held) held.push(response);
      else setImmediate(() => answer(response));
    });
    for (let turn = 0; turn < 5; turn++) {
      held = [];
      const socket = await open(`127.0.0.${10 + turn}`);
      socket.write(large.repeat(150));
      await eventually('four to be begun', () => held?.length === 4);
      socket.destroy();
      // A paused connection notices the close only on a write.
      const begun = held;
      held = null;
      for (const response of begun) answer(response);
      await eventually('its end', () => accepted.at(-1)?.destroyed === true);
    }
    const bytes = large.repeat(150) + get('/', 'Connection: close\r\n');
    const answers = parseAnswers(await untilEnd(url(), bytes));
    expect(answers.map(({ status }) => status)).toEqual(Array(151).fill(200));
  });
});

it.each([
  ['a head without Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['bytes that are not HTTP', 'no HTTP\r\n\r\n'],
  ['a malformed body', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'],
])('the refusal of %s is stored by no cache', async (_, bytes) => {
  await start(() => undefined);
  const [refusal] = parseAnswers(await untilEnd(url(), bytes));
  expect([refusal?.status, refusal?.headers['cache-control']]).toEqual([400, 'no-store']);
});

describe('a caller that does not read', () => {
  const LARGE = 'x'.repeat(24 * 1024 * 1024);

  it('loses its connection and the buffered answer', async () => {
    await start((_, response) => answer(response, LARGE));
    const socket = (await open()).pause();
    socket.write(get('/'));
    await eventually('the end', () => accepted[0]?.destroyed === true, 20 * UNREAD_MS);
  });

  const KEPT_BY_THE_KERNEL = 'x'.repeat(1024 * 1024);
  const request = (headers = ''): string => get('/', headers);

  it.each([
    ['is idle', request(), false],
    ['is closing', request('Connection: close\r\n'), false],
    ['is closing, and its caller has ended it', request('Connection: close\r\n'), true],
    ['has a refused pipeline', request() + 'no HTTP\r\n\r\n', false],
  ])('loses what the kernel holds when its connection %s', async (_, bytes, isEnded) => {
    await start((_request, response) => answer(response, KEPT_BY_THE_KERNEL));
    const socket = (await open()).pause();
    socket.write(bytes);
    if (isEnded) socket.end();
    await eventually('its end', () => accepted[0]?.closed === true, 20 * UNREAD_MS);
    expect(await readRest(socket)).toBeLessThan(KEPT_BY_THE_KERNEL.length);
  });

  it('loses it also when another connection takes its place', async () => {
    await start((_, response) => answer(response, KEPT_BY_THE_KERNEL), { maxConnectionsPerAddress: 1 });
    const replaced = (await open()).pause();
    replaced.write(get('/'));
    await eventually('the kernel to hold it', () =>
      accepted.some(({ bytesWritten, writableLength }) => bytesWritten > 0 && writableLength === 0),
    );
    await open();
    await eventually('its end', () => accepted[0]?.closed === true);
    expect(await readRest(replaced)).toBeLessThan(KEPT_BY_THE_KERNEL.length);
  });

  it.each([
    ['after bytes that were refused', 'no HTTP\r\n\r\n'],
    ['after the last answer', get('/', 'Connection: close\r\n')],
  ])('ends no more than its connection when it sends %s', async (_, bytes) => {
    await start((_request, response) => answer(response, KEPT_BY_THE_KERNEL), { unreadMs: 5 * UNREAD_MS });
    const socket = await open('127.0.0.1', true);
    socket.resume().write(request());
    await eventually('the whole answer', () => socket.bytesRead > KEPT_BY_THE_KERNEL.length);
    socket.write(bytes);
    await eventually('the connection to close', () => accepted[0]?.destroyed === true);
    for (let count = 0; count < 3; count++) socket.write('x');
    await eventually('its end', () => accepted[0]?.closed === true, 20 * UNREAD_MS);
    expect(await isAnswered(await open())).toBe(true);
  });

  it('receives all of it when it reads before the deadline', async () => {
    await start((_, response) => answer(response, KEPT_BY_THE_KERNEL));
    const socket = (await open()).pause();
    socket.write(get('/', 'Connection: close\r\n'));
    await eventually('the end of the answer', () => accepted[0]?.writableFinished === true);
    expect(await readRest(socket)).toBeGreaterThan(KEPT_BY_THE_KERNEL.length);
  });

  it('keeps its connection while it reads slowly', async () => {
    const unreadMs = 3 * UNREAD_MS;
    await start((_, response) => answer(response, LARGE), { unreadMs });
    const socket = await open();
    let received = 0;
    const startedAt = performance.now();
    socket.on('data', (piece) => {
      received += piece.length;
      socket.pause();
      setTimeout(() => socket.resume(), 8);
    });
    socket.write(get('/'));
    await eventually('all of it', () => received >= LARGE.length, 60_000);
    expect(performance.now() - startedAt).toBeGreaterThan(unreadMs);
  }, 90_000);
});

describe('limits of connections', () => {
  const handler: RequestListener = ({ url: path }, response) => {
    if (path !== '/held') answer(response, 'done');
  };

  it('replace a connection of the same address that was never answered', async () => {
    await start(handler, { maxConnectionsPerAddress: 3 });
    const answered = await open();
    expect(await isAnswered(answered)).toBe(true);
    const silent = await open();
    const busy = await open();
    busy.write(get('/held'));
    await eventually('all to be accepted', () => accepted.length === 3 && accepted[2]?.bytesRead !== 0);
    const added = await open();
    expect(await isAnswered(added)).toBe(true);
    await eventually(
      'the silent one to be closed',
      () => silent.closed || silent.readableEnded || silent.destroyed,
    );
    expect(await isAnswered(answered)).toBe(true);
    expect(busy.destroyed).toBe(false);
  });

  it('refuse a connection when all of its address have complete requests in work; other addresses are served', async () => {
    await start(handler, { maxConnectionsPerAddress: 3 });
    for (let index = 0; index < 3; index++) (await open()).write(get('/held'));
    await eventually('all to have work', () => accepted.every(({ bytesRead }) => bytesRead > 0));
    expect(await isAnswered(await open())).toBe(false);
    expect(await isAnswered(await open('127.0.0.2'))).toBe(true);
  });

  it('replace a connection with a stalled body, but none with a request in work', async () => {
    await start(handler, { maxConnectionsPerAddress: 3 });
    const busy = await open();
    busy.write(get('/held'));
    const slow = await Promise.all([open(), open()]);
    for (const socket of slow) socket.write('POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{');
    await eventually('all to have work', () => accepted.every(({ bytesRead }) => bytesRead > 0));
    await eventually('a new connection to be served', async () => isAnswered(await open()));
    expect(slow.filter(({ destroyed, readableEnded }) => destroyed || readableEnded)).toHaveLength(1);
    expect(busy.destroyed).toBe(false);
  });

  it('replace a connection that takes its answer slowly, but none with a request in work', async () => {
    const large = 'x'.repeat(24 * 1024 * 1024);
    const handled: RequestListener = (request, response) =>
      request.url === '/large' ? answer(response, large) : handler(request, response);
    await start(handled, { maxConnectionsPerAddress: 3, unreadMs: 60 * UNREAD_MS });
    const busy = await open();
    busy.write(get('/held'));
    for (const socket of [await open(), await open()]) socket.pause().write(get('/large').repeat(3));
    await eventually('both to wait', () => accepted.filter((one) => one.writableLength > 0).length === 2);
    await eventually('a new connection to be served', async () => isAnswered(await open()));
    expect(busy.destroyed).toBe(false);
    expect(accepted.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0);
  });

  it('allow a trusted proxy all connections of the process', async () => {
    await start(handler, { maxConnectionsPerAddress: 3, trusted: new TrustedProxies('127.0.0.0/30') });
    const many = await Promise.all(Array.from({ length: 10 }, () => open()));
    expect(await Promise.all(many.map(isAnswered))).toEqual(Array(10).fill(true));
  });

  it('close idle connections of the largest address at the process limit', async () => {
    await start(handler, { maxConnections: 10 });
    const few = await Promise.all([open('127.0.0.2'), open('127.0.0.2')]);
    await Promise.all(Array.from({ length: 30 }, () => open()));
    expect(await Promise.all(few.map(isAnswered))).toEqual([true, true]);
    await eventually(
      'the rest to be closed',
      () => accepted.filter(({ destroyed }) => !destroyed).length === 10,
    );
  });
});

import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { keysFor } from '@offizin/testkit/call-keys';
import { eventually } from '@offizin/testkit/eventually';
import { organizations } from '@offizin/runtime/fair-shares';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { CoreProxy } from './core-proxy';

/** Over real sockets; only the interval of the pace check is a fake. */
const KIB = 1024;
const WINDOW_MS = 10_000;
const MAX_BYTES = 600 * KIB;

interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

let core: Server;
let edge: Server;
let edgeUrl: string;
let proxy: CoreProxy;
let received: Map<string, Received>;
/** The requests whose heads the edge has read. */
let begun: Set<string>;
let held: ServerResponse[] | null;
let coreConnections: number;

beforeEach(async () => {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
    ],
  });
  received = new Map();
  begun = new Set();
  held = null;
  coreConnections = 0;
  core = createServer((request, response) => {
    void buffer(request).then(
      (body) => {
        received.set(request.url ?? '', { headers: request.headers, body });
        if (held) held.push(response);
        else response.end('{}');
      },
      () => undefined,
    );
  });
  core.on('connection', () => coreConnections++);
  proxy = new CoreProxy({
    target: `http://127.0.0.1:${await listenOnLoopback(core)}`,
    keys: keysFor('gateway'),
    unreachable: (why) => new Unreachable('service_unavailable', why),
  });
  edge = createServer((request, response) => {
    const url = request.url ?? '';
    begun.add(url);
    const caller = { kind: 'key', orgId: url.split('/')[1] ?? '', shopId: null, scopes: [] } as const;
    void proxy.pass(request, response, {
      caller: { ...caller, actorId: '', requestId: '' },
      url,
      maxBytes: MAX_BYTES,
    });
  });
  edgeUrl = `http://127.0.0.1:${await listenOnLoopback(edge)}`;
});
afterEach(() => {
  jest.useRealTimers();
  proxy.close();
  for (const server of [edge, core]) {
    server.closeAllConnections();
    server.close();
  }
});

interface Begun {
  call: ClientRequest;
  answer: Promise<{ status: number; text: string; headers: IncomingHttpHeaders }>;
}

function begin(path: string, length?: number): Begun {
  const headers = length === undefined ? {} : { 'content-length': length };
  const call = httpRequest(`${edgeUrl}${path}`, { method: 'POST', headers });
  const answer = new Promise<Awaited<Begun['answer']>>((resolve, reject) => {
    call.on('error', reject);
    call.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      void buffer(response).then(
        (body) => resolve({ status, text: body.toString(), headers: response.headers }),
        reject,
      );
    });
  });
  answer.catch(() => undefined);
  call.flushHeaders();
  return { call, answer };
}

async function bodyAtCore(path: string): Promise<Received> {
  return eventually(`${path} to arrive at core`, () => received.get(path));
}

function bytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
}

it('acquires no connection to core before a body of 60 KiB is complete', async () => {
  const slow = Array.from({ length: 200 }, (_, index) => begin(`/one/${index}`, 60 * KIB));
  for (const { call } of slow) call.write(bytes(100));
  await eventually('all of them to begin', () => begun.size === slow.length);
  const other = begin('/other/quick', 2);
  other.call.end('{}');
  expect((await other.answer).status).toBe(200);
  expect(coreConnections).toBe(1);
  slow[7]?.call.end(bytes(60 * KIB - 100));
  expect((await bodyAtCore('/one/7')).body).toHaveLength(60 * KIB);
  for (const { call } of slow) call.destroy();
});

it.each([0, 1, 64 * KIB, 64 * KIB + 1, 200 * KIB, MAX_BYTES])(
  'a body of %d bytes arrives as it was sent, with and without its length',
  async (size) => {
    const sent = bytes(size);
    for (const [path, length] of [
      ['/one/with', size],
      ['/one/without', undefined],
    ] as const) {
      const { call, answer } = begin(path, length);
      call.end(sent);
      expect((await answer).status).toBe(200);
      const { body, headers } = await bodyAtCore(path);
      expect(body.equals(sent)).toBe(true);
      // Core reserves memory of that size.
      if (size <= 64 * KIB) expect(headers['content-length']).toBe(String(size));
    }
  },
);

it('refuses a body without content-length as soon as it is too large', async () => {
  const { call, answer } = begin('/one/endless');
  call.write(bytes(MAX_BYTES + 1));
  expect((await answer).status).toBe(413);
});

it('an organization at its connection limit does not block the others', async () => {
  organizations.note('other');
  held = [];
  const mine = Array.from({ length: 300 }, (_, index) => begin(`/one/${index}`, 2));
  for (const { call } of mine) call.end('{}');
  await eventually('its connections to be taken', () => held?.length === 48);
  const other = begin('/other/quick', 2);
  other.call.end('{}');
  await bodyAtCore('/other/quick');
  const refused = await Promise.race(mine.map(({ answer }) => answer));
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  for (const response of held) response.end('{}');
  expect((await other.answer).status).toBe(200);
  const statuses = await Promise.all(mine.map(async ({ answer }) => (await answer).status));
  expect([...new Set(statuses)].sort()).toEqual([200, 503]);
});

describe('the minimum pace', () => {
  it.each([
    ['small', 60 * KIB, 100],
    ['large', 300 * KIB, 100 * KIB],
  ])('refuses a %s body that stops coming, and closes the connection', async (_, size, sent) => {
    const { call, answer } = begin('/one/slow', size);
    call.write(bytes(sent));
    await eventually('the pace to be measured', () => jest.getTimerCount() > 0);
    if (size > 64 * KIB) await eventually('core to be connected', () => coreConnections === 1);
    await elapse(WINDOW_MS);
    await elapse(WINDOW_MS);
    const { status, text, headers } = await answer;
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      error: 'invalid_request',
      message: expect.stringContaining('too slowly'),
    });
    expect(headers['connection']).toBe('close');
    expect(received.size).toBe(0);
    call.destroy();
  });

  it('accepts a body that sends 10 KiB in each 10 s', async () => {
    const piece = bytes(12 * KIB);
    const { call, answer } = begin('/one/steady', 5 * piece.length);
    for (let sent = piece.length; sent <= 5 * piece.length; sent += piece.length) {
      await eventually('the pace to be measured', () => jest.getTimerCount() > 0);
      call.write(piece);
      await eventually(`${sent} bytes to arrive`, () => edgeBytes() > sent);
      await elapse(WINDOW_MS);
    }
    call.end();
    expect((await answer).status).toBe(200);
  });
});

async function elapse(ms: number): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  jest.advanceTimersByTime(ms);
}

let edgeBytes: () => number = () => 0;
beforeEach(() => {
  edge.on('connection', (socket) => (edgeBytes = () => socket.bytesRead));
});

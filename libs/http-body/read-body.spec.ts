import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { eventually } from '@offizin/testkit/eventually';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { BodyBudget, type BodyBudgetLimits } from './body-budget';
import type { ReceivedBody } from './body-pieces';
import { readBody } from './read-body';

const KIB = 1024;
const MAX_BYTES = 600 * KIB;
let server: Server;
let port: number;
let memory: BodyBudget;
let outcomes: Map<string, ReceivedBody | Error>;

beforeEach(async () => {
  outcomes = new Map();
  server = createServer((request, response) => {
    readBody(request, MAX_BYTES, ownerOf(request.url), memory)
      .catch((error: unknown) => error as Error)
      .then((outcome) => {
        outcomes.set(request.url ?? '', outcome);
        response.end();
      })
      .catch(() => undefined);
  });
  port = await listenOnLoopback(server);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function ownerOf(path = ''): string {
  return path.startsWith('/other') ? 'other' : 'one';
}

function withLimits(limits: Partial<BodyBudgetLimits>): void {
  memory = new BodyBudget({ chunkedBytes: MAX_BYTES, waitMs: 5_000, ...limits });
}

function begin(path: string, length?: number) {
  const headers = length === undefined ? {} : { 'content-length': length };
  const call = httpRequest({ port, host: '127.0.0.1', path, method: 'POST', headers });
  call.on('error', () => undefined);
  call.on('response', (answer: IncomingMessage) => answer.resume());
  call.flushHeaders();
  return call;
}

async function outcomeOf(path: string): Promise<ReceivedBody | Error> {
  return eventually(`what becomes of ${path}`, () => outcomes.get(path) ?? null);
}

async function bytesOf(path: string): Promise<Buffer> {
  const outcome = await outcomeOf(path);
  if (outcome instanceof Error) throw outcome;
  return outcome.bytes;
}

function release(path: string): void {
  const outcome = outcomes.get(path);
  if (outcome && 'release' in outcome) outcome.release();
}

function body(bytes: number, start = 'a'): Buffer {
  return Buffer.concat([Buffer.from(start), Buffer.alloc(bytes - start.length, 'x')]);
}

it.each([
  ['small', 100],
  ['large', 300 * KIB],
  ['of exactly the limit', MAX_BYTES],
])('reads a body that is %s, with and without its length', async (_, size) => {
  withLimits({});
  const sent = body(size);
  begin('/with', size).end(sent);
  begin('/without').end(sent);
  expect((await bytesOf('/with')).equals(sent)).toBe(true);
  expect((await bytesOf('/without')).equals(sent)).toBe(true);
});

it('keeps concurrent large bodies without content-length apart', async () => {
  withLimits({});
  const names = ['one', 'two', 'three', 'four'];
  const calls = names.map((name) => begin(`/${name}`));
  for (let piece = 0; piece < 4; piece++)
    calls.forEach((call, index) => call.write(body(100 * KIB, names[index])));
  for (const call of calls) call.end();
  for (const name of names) {
    const part = body(100 * KIB, name);
    expect((await bytesOf(`/${name}`)).equals(Buffer.concat([part, part, part, part]))).toBe(true);
  }
});

it('refuses a body without content-length as soon as it is too large, and frees the reusable buffer', async () => {
  withLimits({ waitMs: 60_000 });
  const endless = begin('/endless');
  endless.write(body(MAX_BYTES + 1));
  expect(await outcomeOf('/endless')).toMatchObject({ code: 'payload_too_large' });
  begin('/next').end(body(300 * KIB));
  expect(await bytesOf('/next')).toHaveLength(300 * KIB);
  endless.destroy();
});

it('lets a body wait for memory until another is released', async () => {
  withLimits({ maxBytes: 500 * KIB });
  begin('/first', 300 * KIB).end(body(300 * KIB));
  await bytesOf('/first');
  begin('/second', 300 * KIB).end(body(300 * KIB));
  begin('/small', 100).end(body(100));
  expect(await bytesOf('/small')).toHaveLength(100);
  expect(outcomes.has('/second')).toBe(false);
  release('/first');
  expect(await bytesOf('/second')).toHaveLength(300 * KIB);
});

it('throws Unreachable after too long a wait for memory, and accepts the next body', async () => {
  withLimits({ maxBytes: 500 * KIB, waitMs: 50 });
  begin('/first', 300 * KIB).end(body(300 * KIB));
  await bytesOf('/first');
  begin('/second', 300 * KIB).end(body(300 * KIB));
  expect(await outcomeOf('/second')).toBeInstanceOf(Unreachable);
  release('/first');
  begin('/third', 300 * KIB).end(body(300 * KIB));
  expect(await bytesOf('/third')).toHaveLength(300 * KIB);
});

it('limits the total wait for both the owner limit and the total limit', async () => {
  withLimits({ ownerBytes: 300 * KIB, maxBytes: 500 * KIB, waitMs: 1_000 * SLOWNESS });
  const { large } = memory;
  const release = await large.placeFor(300 * KIB, 'one');
  await large.placeFor(200 * KIB, 'other');
  const startedAtMs = performance.now();
  const waiting = large.placeFor(300 * KIB, 'one').catch(() => performance.now() - startedAtMs);
  const ahead = large.placeFor(300 * KIB, 'third');
  await eventually('most of the wait', () => performance.now() - startedAtMs > 800 * SLOWNESS);
  release();
  await ahead;
  expect(await waiting).toBeLessThan(1_500 * SLOWNESS);
});

it('leaves memory to others when an owner announces more than it sends', async () => {
  withLimits({ ownerBytes: 500 * KIB, waitMs: 50 });
  const silent = begin('/silent', 400 * KIB);
  await eventually('its room to be taken', () => memory.large.freeBytes < memory.limits.maxBytes);
  begin('/second', 300 * KIB).end(body(300 * KIB));
  expect(await outcomeOf('/second')).toBeInstanceOf(Unreachable);
  begin('/other', 400 * KIB).end(body(400 * KIB));
  expect(await bytesOf('/other')).toHaveLength(400 * KIB);
  silent.destroy();
});

it('counts small bodies by owner, in a budget separate from large ones', async () => {
  withLimits({ ownerSmallBytes: 100 * KIB, maxBytes: 300 * KIB, waitMs: 50 });
  const held = [begin('/first', 60 * KIB), begin('/large', 300 * KIB)];
  await eventually('the large one to be under way', () => memory.large.freeBytes === 0);
  begin('/second', 60 * KIB).end(body(60 * KIB));
  expect(await outcomeOf('/second')).toBeInstanceOf(Unreachable);
  begin('/unannounced').end(body(100));
  expect(await outcomeOf('/unannounced')).toBeInstanceOf(Unreachable);
  begin('/other', 60 * KIB).end(body(60 * KIB));
  expect(await bytesOf('/other')).toHaveLength(60 * KIB);
  for (const call of held) call.destroy();
  expect(await outcomeOf('/first')).toBeInstanceOf(Error);
  begin('/third', 60 * KIB).end(body(60 * KIB));
  expect(await bytesOf('/third')).toHaveLength(60 * KIB);
});

it('releases the memory of a body whose caller disconnected', async () => {
  withLimits({ maxBytes: 500 * KIB, waitMs: 60_000 });
  const gone = begin('/gone', 300 * KIB);
  gone.write(body(200 * KIB));
  await eventually('it to be under way', () => memory.large.freeBytes < 500 * KIB);
  gone.destroy();
  expect(await outcomeOf('/gone')).toBeInstanceOf(Error);
  begin('/next', 400 * KIB).end(body(400 * KIB));
  expect(await bytesOf('/next')).toHaveLength(400 * KIB);
});

it('refuses a slow body in the reusable buffer when another waits for it', async () => {
  withLimits({ chunkedHoldMs: 10, waitMs: 60_000 });
  const slow = begin('/slow');
  slow.write(body(200 * KIB));
  await eventually('it to be in the buffer', () => memory.isChunkedTaken);
  begin('/next').end(body(300 * KIB));
  expect(await bytesOf('/next')).toHaveLength(300 * KIB);
  expect(outcomes.get('/slow')).toBeInstanceOf(Unreachable);
});

it('frees the memory of the idle buffer', async () => {
  withLimits({ chunkedIdleMs: 20 });
  begin('/one').end(body(300 * KIB));
  await bytesOf('/one');
  await eventually('it to be given back', () => memory.chunkedBytes === 0);
  begin('/two').end(body(400 * KIB));
  expect(await bytesOf('/two')).toHaveLength(400 * KIB);
});

it('refuses a content-length that is too large before reading', async () => {
  withLimits({});
  begin('/large', MAX_BYTES + 1);
  expect(await outcomeOf('/large')).toBeInstanceOf(Refused);
});

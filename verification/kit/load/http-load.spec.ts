import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runHttp } from './http-load';
import { type HttpRequest, UNIQUE } from './job';

let server: Server;
let seen: string[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  seen = [];
  server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${String(request.headers['x-key'])} ${body}`);
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const PLACE = { kind: 'http', callers: 4, firstNumber: 7, firstIndex: 0 } as const;
const originOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function statusesOf(
  request: Omit<HttpRequest, 'origin'>,
  count: number,
): Promise<Record<string, number>> {
  const requests = [{ origin: originOf(), ...request }];
  return (await runHttp({ ...PLACE, requests, count })).statuses;
}

it('fills a number that no other request has into path, headers and body', async () => {
  answer = (response) => response.end('ok');
  const request = {
    method: 'POST',
    path: `/a/${UNIQUE}`,
    headers: { 'x-key': UNIQUE },
    body: `<${UNIQUE}>tail`,
  };
  expect(await statusesOf(request, 20)).toEqual({ 200: 20 });
  const wanted = Array.from({ length: 20 }, (_, index) => {
    const number = String(7 + index).padStart(UNIQUE.length, '0');
    return `POST /a/${number} ${number} <${number}>tail`;
  });
  expect(seen.sort()).toEqual(wanted);
});

it.each<[string, (response: ServerResponse) => void]>([
  ['503', (response) => response.writeHead(503, { 'retry-after': '1' }).end('{}')],
  ['503 without Retry-After', (response) => response.writeHead(503).end('{}')],
  ['201', (response) => response.writeHead(201, { connection: 'close' }).end('{}')],
  ['204', (response) => response.writeHead(204).end()],
  ['error', (response) => response.destroy()],
])('counts %s', async (outcome, make) => {
  answer = make;
  expect(await statusesOf({ method: 'GET', path: '/' }, 6)).toEqual({ [outcome]: 6 });
});

it('sends at a pace and from the address that are asked for, until it is ended', async () => {
  const from: (string | undefined)[] = [];
  const ending = new AbortController();
  const startedAtMs = performance.now();
  answer = (response) => {
    from.push(response.req.socket.remoteAddress);
    if (from.length === 5) ending.abort();
    response.end();
  };
  const requests = ['127.0.0.7', '127.0.0.8'].map((localAddress) => ({
    origin: originOf(),
    method: 'GET',
    path: '/',
    localAddress,
  }));
  const pace = { perSecond: 50, burst: 1 };
  const { sent } = await runHttp({ ...PLACE, callers: 1, requests, pace }, ending.signal);
  expect([sent, ...from]).toEqual([5, '127.0.0.7', '127.0.0.8', '127.0.0.7', '127.0.0.8', '127.0.0.7']);
  // The first may go out immediately, the other four 20 ms apart.
  expect(performance.now() - startedAtMs).toBeGreaterThan(75);
});

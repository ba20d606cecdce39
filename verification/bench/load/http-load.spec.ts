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

async function statusesOf(request: HttpRequest, count = 1): Promise<Record<string, number>> {
  const { port } = server.address() as AddressInfo;
  const block = { callers: 4, count, firstNumber: 7, firstIndex: 0 };
  return (await runHttp({ kind: 'http', ports: [port], requests: [request], ...block })).statuses;
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

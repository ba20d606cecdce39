import { createServer, request, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GuardedSockets } from './guarded-sockets';

const LIMITS = { timeoutMs: 20_000, maxResponseBytes: 10_000 };
const LOCAL = { allowLoopback: true, allowHttp: true };
let server: Server | null = null;
afterEach(() => server?.close());

async function serve(answer: RequestListener): Promise<string> {
  const made = createServer(answer);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/`;
}

function ask(sockets: GuardedSockets, text: string): Promise<string> {
  const url = new URL(text);
  return new Promise((resolve, reject) => {
    const sending = request(url, { agent: sockets.agentFor(url) }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.once('error', reject);
      response.once('end', () => resolve(`${response.statusCode} ${body}`));
    });
    sending.once('error', reject);
    sending.end();
  });
}

it('serves a library that sends requests itself, and follows no redirect', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end('moved'));
  expect(await ask(new GuardedSockets(LOCAL, LIMITS), url)).toBe('302 moved');
});

it('refuses addresses by the policy, and names by what they resolve to', async () => {
  const strict = new GuardedSockets({ allowLoopback: false, allowHttp: true }, LIMITS);
  for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/', 'http://10.0.0.1/'])
    expect(() => strict.agentFor(new URL(url))).toThrow(/private/);
  const onlyTls = new GuardedSockets({ allowLoopback: true, allowHttp: false }, LIMITS);
  expect(() => onlyTls.agentFor(new URL('http://example.org/'))).toThrow(/https/);
  const lookup = () => Promise.resolve(['127.0.0.1']);
  const resolving = new GuardedSockets({ allowLoopback: false, allowHttp: true, lookup }, LIMITS);
  await expect(ask(resolving, 'http://provider.example/')).rejects.toThrow(/not public/);
});

it('ends an answer that is too long', async () => {
  const url = await serve((_, response) => response.end('x'.repeat(20_000)));
  await expect(ask(new GuardedSockets(LOCAL, LIMITS), url)).rejects.toThrow(/more than 10000 bytes/);
});

it('ends an answer that drips, however often a byte comes', async () => {
  const url = await serve((_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.once('close', () => clearInterval(timer));
  });
  const sockets = new GuardedSockets(LOCAL, { ...LIMITS, timeoutMs: 400 });
  await expect(ask(sockets, url)).rejects.toThrow(/within 400 ms/);
});

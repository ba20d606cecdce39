import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { checkProcess, checkPublicAddress, clockFinding, diskFinding } from './machine-check';

const servers: Server[] = [];

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

afterAll(async () => {
  for (const server of servers) if (server.listening) await closed(server);
});

test('a process that is not there is to be started', async () => {
  const server = createServer();
  const managementUrl = await listening(server);
  await closed(server);
  const finding = await checkProcess({ name: 'catalog', managementUrl });
  expect(finding.outcome).toBe('problem');
  expect(finding.found).toMatch(/^does not answer: .*ECONNREFUSED/);
  expect(finding.advice).toMatch(/^Start it/);
});

test.each([
  ['ok', (own: string) => own, 'accepts sign-in at'],
  ['problem', () => 'https://api.example.org', 'the console accepts https://api.example.org only'],
])('a public address is %s when the gateway names it so', async (outcome, issuerAt, found) => {
  let issuer = '';
  const url = await listening(createHttpServer((_, response) => response.end(JSON.stringify({ issuer }))));
  issuer = issuerAt(url);
  expect(await checkPublicAddress(url)).toMatchObject({
    outcome,
    found: expect.stringContaining(found) as string,
  });
});

test('a process that hangs is to be ended: it is there already', async () => {
  // As a process stopped by a signal: the system accepts connections for it.
  const taken: Socket[] = [];
  const managementUrl = await listening(createServer((socket) => taken.push(socket)));
  const finding = await checkProcess({ name: 'catalog', managementUrl });
  expect(finding.outcome).toBe('problem');
  expect(finding.found).toContain('it hangs, or is stopped');
  expect(finding.advice).toMatch(/^End it with SIGKILL/);
  for (const socket of taken) socket.destroy();
}, 20_000);

test('a process that lacks something reports what', async () => {
  const server = createHttpServer((_request, response) => {
    response.writeHead(503).end(JSON.stringify({ problems: { database: 'refused' } }));
  });
  const finding = await checkProcess({ name: 'catalog', managementUrl: await listening(server) });
  expect(finding).toMatchObject({ outcome: 'problem', found: 'not ready (database: refused)' });
});

test('a process that is degraded is ready, and states why', async () => {
  const server = createHttpServer((_request, response) => {
    response.writeHead(200).end(JSON.stringify({ problems: {}, degraded: { set_aside: 'message: 1' } }));
  });
  const finding = await checkProcess({ name: 'catalog', managementUrl: await listening(server) });
  expect(finding).toMatchObject({
    outcome: 'warning',
    found: 'ready, but degraded (set_aside: message: 1)',
  });
});

const GIB = 1024 ** 3;

it.each([
  ['no difference', 0, 10, 'ok'],
  ['a difference within the uncertainty', 2_500, 600, 'ok'],
  ['a clock that is behind by seconds', -5_000, 10, 'warning'],
  ['a clock outside the leeway of tokens', 45_000, 10, 'problem'],
  ['a clock that is behind by a day', -86_400_000, 10, 'problem'],
])('judges %s', (_name, offsetMs, uncertainMs, outcome) => {
  expect(clockFinding('clock', offsetMs, uncertainMs).outcome).toBe(outcome);
});

it.each([
  ['plenty', 100 * GIB, 0.5, 'ok'],
  ['little of a large disk', 20 * GIB, 0.04, 'warning'],
  ['next to nothing', 0.5 * GIB, 0.5, 'problem'],
])('judges a disk with %s free', (_name, freeBytes, share, outcome) => {
  expect(diskFinding('/data', { freeBytes, share }).outcome).toBe(outcome);
});

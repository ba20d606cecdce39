import { once } from 'node:events';
import { createServer } from 'node:net';
import { http, json } from '@offizin/testkit/http';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { untilEnd } from '@offizin/testkit/raw-http';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { Management } from './management';

let management: Management;
let url: string;

beforeEach(async () => {
  const port = await freePort();
  management = new Management();
  await management.listen(port, '127.0.0.1');
  url = `http://127.0.0.1:${port}`;
});

afterEach(() => management.close());

async function readiness(): Promise<{ status: number; problems: Record<string, string> }> {
  const answer = await http(`${url}/readyz`);
  return { status: answer.status, ...json<{ problems: Record<string, string> }>(answer) };
}

it('is alive from the first moment and ready only once it has started', async () => {
  expect((await http(`${url}/healthz`)).status).toBe(200);
  expect(await readiness()).toEqual({ status: 503, problems: { process: 'starting' } });
  management.setStarted();
  expect(await readiness()).toEqual({ status: 200, problems: {} });
});

it('names every check that fails, and is ready again when they pass', async () => {
  management.setStarted();
  let works = false;
  const check = (reason: string) => () => (works ? Promise.resolve() : Promise.reject(new Error(reason)));
  management.addCheck('database', check('no connection'));
  management.addCheck('bus', check('closed'));
  management.addCheck('fine', () => Promise.resolve());
  expect(await readiness()).toEqual({ status: 503, problems: { database: 'no connection', bus: 'closed' } });
  works = true;
  expect(await readiness()).toEqual({ status: 200, problems: {} });
});

it('is ready while it is degraded, and states why', async () => {
  management.setStarted();
  let found: string | null = 'message: 1';
  management.addNotice('set_aside', () => Promise.resolve(found));
  management.addNotice('outbox', () => Promise.reject(new Error('the database is unreachable')));
  expect(await readiness()).toEqual({ status: 200, problems: {}, degraded: { set_aside: 'message: 1' } });
  found = null;
  expect(await readiness()).toEqual({ status: 200, problems: {} });
});

it('does not wait for a check that hangs', async () => {
  management.setStarted();
  management.addCheck('database', () => new Promise<void>(() => undefined));
  const startedAt = performance.now();
  expect(await readiness()).toEqual({ status: 503, problems: { database: 'no answer within 2000 ms' } });
  expect(performance.now() - startedAt).toBeLessThan(4_000 * SLOWNESS);
  expect((await http(`${url}/healthz`)).status).toBe(200);
});

it('is not ready while it drains, but alive', async () => {
  management.setStarted();
  management.setDraining();
  expect(await readiness()).toEqual({ status: 503, problems: { process: 'draining' } });
  expect((await http(`${url}/healthz`)).status).toBe(200);
});

it('shows the metrics of the process, and has no other path', async () => {
  const metrics = await http(`${url}/metrics`);
  expect(metrics.status).toBe(200);
  expect(metrics.body.toString()).toContain('offizin_operation_duration_seconds');
  expect((await http(`${url}/other`)).status).toBe(404);
});

it('answers one request of a connection, and closes it', async () => {
  const bytes = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3);
  const startedAt = performance.now();
  const received = await untilEnd(url, bytes);
  expect(received.match(/^(HTTP\/1.1 \d+|connection: \w+)/gim)).toEqual([
    'HTTP/1.1 200',
    'connection: close',
  ]);
  expect(performance.now() - startedAt).toBeLessThan(2_000 * SLOWNESS);
});

it('closes while a client holds a connection open', async () => {
  await http(`${url}/healthz`, { headers: { connection: 'keep-alive' } });
  await management.close();
  await expect(http(`${url}/healthz`)).rejects.toThrow();
});

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  server.close();
  await once(server, 'close');
  return port;
}

import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appNames } from './apps';
import { isAlive, waitUntil } from './process-identity';
import { startStack } from './stack';
import type { Stack } from './stack';

/** Replaces an app: ready as soon as it listens. Under test is the stack, with real servers. */
const readyApp = `require('http').createServer((_, response) => response.end('ok'))
  .listen(process.env.MANAGEMENT_PORT, '127.0.0.1');`;
const failingApp = `console.error('MASTER_KEY is missing'); process.exit(3);`;

describe('a local stack', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'));
  const dataDir = join(folder, 'data');
  let stack: Stack;

  beforeAll(async () => {
    for (const app of appNames) writeApp(app, readyApp);
    stack = await startStack({ dataDir, appRoot: folder, ports: 'free', restart: true });
  }, 60_000);

  afterAll(() => stack?.stop(), 60_000);

  it('is ready with seven processes', () => {
    expect(pids().filter(isAlive)).toHaveLength(7);
  });

  it('refuses a second stack on the same folder and keeps running', async () => {
    const second = startStack({ dataDir, appRoot: folder, ports: 'free' });
    await expect(second).rejects.toThrow(/Another stack/);
    expect(pids().filter(isAlive)).toHaveLength(7);
  });

  it('restarts a process that dies', async () => {
    const { catalog } = stack.apps;
    const killed = catalog.pid;
    catalog.kill('SIGKILL');
    expect(await waitUntil(() => catalog.pid !== undefined && catalog.pid !== killed, 5_000)).toBe(true);
    await catalog.ready();
  });

  it('ends and restarts a broker that hangs', async () => {
    const broker = stack.nats?.process;
    const hanging = broker?.pid;
    broker?.kill('SIGSTOP');
    expect(await waitUntil(() => broker?.pid !== undefined && broker.pid !== hanging, 40_000)).toBe(true);
    await broker?.ready();
  }, 60_000);

  it('starts a replica on ports of its own and stops it with the rest', async () => {
    const replica = await stack.addReplica('gateway');
    expect(replica.process.managementUrl).not.toBe(stack.apps.gateway.managementUrl);
    const all = [...pids(), replica.process.pid ?? 0];
    await stack.stop();
    expect(all.filter(isAlive)).toEqual([]);
    expect(readdirSync(dataDir)).not.toContain('stack.pid');
    expect(readdirSync(join(dataDir, 'run'))).toEqual([]);
  }, 60_000);

  it('that cannot start reports which process failed and why, and leaves nothing running', async () => {
    writeApp('catalog', failingApp);
    const start = startStack({ dataDir, appRoot: folder, ports: 'free' });
    await expect(start).rejects.toThrow(/catalog ended with code 3\n {2}\| MASTER_KEY is missing/);
    expect(readdirSync(join(dataDir, 'run'))).toEqual([]);
  }, 60_000);

  function pids(): number[] {
    const servers = [stack.postgres?.process, stack.nats?.process];
    return [...servers, ...Object.values(stack.apps)].flatMap((one) => (one?.pid ? [one.pid] : []));
  }

  function writeApp(app: string, source: string): void {
    const appFolder = join(folder, 'dist', 'apps', app);
    mkdirSync(appFolder, { recursive: true });
    writeFileSync(join(appFolder, 'main.js'), source);
  }
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@offizin/testkit/eventually';
import { compiledFile, killChild } from '@offizin/testkit/programs';
import { appEnvironment, type AppName, appNames, type AppSettings, loopback } from './apps';
import { freePort } from './ports';
import { readOrCreateSecrets } from './secrets';

const dataDir = mkdtempSync(join(tmpdir(), 'apps-'));
const outside = { ...process.env };
afterEach(() => (process.env = { ...outside }));

const settings: AppSettings = {
  dataDir,
  appRoot: dataDir,
  natsUrl: 'nats://127.0.0.1:4222',
  natsLogin: () => undefined,
  ports: { gateway: 1, 'connector-edge': 2, 'order-core': 3 },
  management: { gateway: 4, 'connector-edge': 5, 'order-core': 6, catalog: 7, 'webhook-worker': 8 },
  databaseUrls: { 'order-core': 'a', catalog: 'b', 'webhook-worker': 'c' },
  secrets: readOrCreateSecrets(dataDir),
};

it('passes the bucket of the starting process on to order-core alone, and other variables to no app', () => {
  const bucket = {
    DOCUMENT_STORE_URL: 'https://s3.example.org/bucket',
    DOCUMENT_STORE_ACCESS_KEY_ID: 'key',
    DOCUMENT_STORE_SECRET_ACCESS_KEY_FILE: '/run/secrets/bucket',
  };
  Object.assign(process.env, bucket, { DOCUMENT_STORE_REGION: '', SOME_SECRET: 'x' });
  const passed = appNames.map((app) => [
    app,
    Object.fromEntries(
      Object.entries(appEnvironment(app, settings)).filter(([name]) => /^DOCUMENT_STORE|^SOME_/.test(name)),
    ),
  ]);
  expect(Object.fromEntries(passed)).toEqual({
    ...Object.fromEntries(appNames.map((app) => [app, {}])),
    'order-core': bucket,
  });
});

/** Sends SIGTERM to its process while it loads the framework. */
const STOP_WHILE_LOADING = `const modules = require('node:module');
const load = modules._load;
modules._load = function (name, ...rest) {
  if (name === '@nestjs/common') process.kill(process.pid, 'SIGTERM');
  return load.call(this, name, ...rest);
};`;

/** Starts `main.js` of the app where nothing listens, stops it, and resolves with its exit code and signal. */
async function stopAtStart(app: AppName, args: string[], when: 'loading' | 'waiting'): Promise<unknown> {
  const nowhere = 'postgres://offizin:password@127.0.0.1:1/offizin';
  const port = await freePort();
  const preload = join(dataDir, 'preload.cjs');
  writeFileSync(preload, when === 'loading' ? STOP_WHILE_LOADING : '');
  const env = appEnvironment(app, {
    ...settings,
    natsUrl: 'nats://127.0.0.1:1',
    natsLogin: () => ({ user: app, password: 'password' }),
    management: { ...settings.management, [app]: port },
    databaseUrls: { 'order-core': nowhere, catalog: nowhere, 'webhook-worker': nowhere },
  });
  const main = compiledFile(`apps/${app}/main.ts`);
  const child = spawn(process.execPath, ['--require', preload, main, ...args], {
    env: { ...env, LOG_LEVEL: 'warn' },
  });
  try {
    const ended: Promise<unknown> = once(child, 'exit');
    if (when === 'waiting') {
      // A migration has no port; the first line that it logs says that it waits for its database.
      if (args.includes('migrate')) await once(child.stdout, 'data');
      else
        await eventually('the start', async () => (await fetch(`${loopback(port)}/readyz`)).status === 503);
      child.kill('SIGTERM');
    }
    return await ended;
  } finally {
    await killChild(child);
  }
}

const starts = appNames.flatMap((app) => [[app, 'loading'] as const, [app, 'waiting'] as const]);
it.each(starts)(
  '%s ends as after any stop when it is stopped during its start, while %s',
  async (app, when) => expect(await stopAtStart(app, [], when)).toEqual([0, null]),
  30_000,
);

it.each(['loading', 'waiting'] as const)(
  'a migration that is stopped before its end fails, while %s',
  async (when) => expect(await stopAtStart('catalog', ['migrate'], when)).toEqual([1, null]),
  30_000,
);

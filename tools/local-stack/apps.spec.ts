import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appEnvironment, appNames, type AppSettings } from './apps';
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

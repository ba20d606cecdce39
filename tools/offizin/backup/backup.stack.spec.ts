import { execFileSync } from 'node:child_process';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { queryAt } from '@offizin/local-stack/database-client';
import { type Stack, startStack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { json } from '@offizin/testkit/http';
import { orderRequest, TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { accessTo, TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { backUp, composeFiles, restore } from './backup';

/** A backup under load, the loss of everything, and the way back. Tests follow one another. */
const folder = mkdtempSync(join(tmpdir(), 'offizin-backup-'));
const dataDir = join(folder, 'data');
const backup = join(folder, 'backup');
const document = makePdf();
let stack: Stack;
let organization: TestOrganization;
let receiver: WebhookReceiver;
const acknowledged: string[] = [];

async function start(): Promise<Stack> {
  return startStack({ dataDir, ports: 'free', extraEnv: withGenerousLimits() });
}

beforeAll(async () => {
  stack = await start();
  const platform = await TestPlatform.connect(accessTo(stack));
  organization = await platform.organization();
  await platform.close();
  receiver = await WebhookReceiver.start();
}, 90_000);
afterAll(async () => {
  await receiver.close();
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** On what a restore has left, at other ports. */
async function startAgain(): Promise<void> {
  stack = await start();
  const urls = { baseUrl: stack.urls.gateway, connectorUrl: stack.urls.connectorEdge };
  organization = new TestOrganization(urls, organization);
  await organization.becomeKnown();
}

async function upsert(): Promise<void> {
  const external_id = uniqueTag();
  const shop_id = organization.shops[0].shopId;
  const answer = await organization.api('POST', '/orders', { shop_id, external_id });
  expect(answer.status).toBe(201);
  acknowledged.push(external_id);
}

it('copies a running stack while orders go on coming in', async () => {
  const prescription_pdf_base64 = document.toString('base64');
  const body = orderRequest({ prescription_pdf_base64 }, { external_reference: 'with-document' });
  expect((await organization.connector({ body })).status).toBe(200);
  expect((await organization.api('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
  // From here on events get as far as the broker, which is not in the backup.
  await stack.apps['webhook-worker'].stop();
  for (let count = 0; count < 50; count++) await upsert();

  let stopped = false;
  const before = [...acknowledged];
  const load = (async () => {
    while (!stopped) await upsert();
  })();
  const report = await backUp(stack, backup).finally(() => (stopped = true));
  await load;
  expect(report.files).toBeGreaterThan(100);
  acknowledged.splice(0, acknowledged.length, ...before);
}, 60_000);

it('refuses to write into a folder that exists, and to replace a database unasked', async () => {
  await expect(backUp(stack, backup)).rejects.toThrow(/exists already/);
  await expect(backUp(stack, join(folder, 'nowhere', 'backup'))).rejects.toThrow(/does not exist/);
  await stack.stop();
  await expect(restore(backup, dataDir, {})).rejects.toThrow(/--replace/);
  await expect(restore(folder, dataDir, { replace: true })).rejects.toThrow(/no complete backup/);
}, 60_000);

it('comes back from the backup alone: orders, documents, keys, and events that nobody had received', async () => {
  rmSync(dataDir, { recursive: true });
  await expect(restore(backup, dataDir, {})).rejects.toThrow(/--erasures <file>.*--without-erasures/s);
  expect(await restore(backup, dataDir, { erasures: join(backup, 'erasures.jsonl') })).toBe(0);
  await startAgain();

  for (const external_id of acknowledged) {
    const found = await organization.api('GET', `/orders?external_id=${external_id}`);
    expect(json<{ pagination: { total: number } }>(found).pagination.total).toBe(1);
  }
  const requests = await organization.api('GET', '/order-requests?external_reference=with-document');
  const [request] = json<{ data: { id: string }[] }>(requests).data;
  const copy = await organization.api('GET', `/order-requests/${request?.id}/prescription.pdf`);
  expect(copy.body.equals(document)).toBe(true);

  // The reconciliation asks the worker every 30 s which events it does not know.
  await eventually(
    'an event for each order',
    () => {
      const events = receiver.received.map(({ body }) => JSON.parse(body.toString()) as WebhookBody);
      const orders = events.filter(({ event_type }) => event_type === 'order_created');
      return new Set(orders.map(({ metadata }) => metadata['order_id'])).size >= acknowledged.length;
    },
    60_000,
  );
}, 120_000);

describe('with an archived log', () => {
  const archive = join(folder, 'archive');
  const second = join(folder, 'second');
  const kept = uniqueTag();
  const mistaken = uniqueTag();
  let moment: string;

  async function asAdmin<T extends object>(...texts: string[]): Promise<T | undefined> {
    return (await queryAt<T>(stack.adminDatabaseUrl, ...texts))[0];
  }

  async function order(external_id: string): Promise<void> {
    const body = { shop_id: organization.shops[0].shopId, external_id };
    await eventually('an order to be taken', async () => {
      return (await organization.api('POST', '/orders', body)).status < 300;
    });
  }

  async function ordersNamed(external_id: string): Promise<number> {
    const found = await organization.api('GET', `/orders?external_id=${external_id}`);
    return json<{ pagination: { total: number } }>(found).pagination.total;
  }

  it('the server keeps every change after the backup', async () => {
    const { uid, gid } = statSync(join(dataDir, 'postgres'));
    mkdirSync(archive);
    chownSync(archive, uid, gid);
    await asAdmin(
      `ALTER SYSTEM SET archive_mode = 'on'`,
      `ALTER SYSTEM SET archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
    );
    await stack.postgres?.process.stop();
    await stack.postgres?.process.start();
    await stack.postgres?.process.ready();
    await order(uniqueTag());
    await backUp(stack, second);
    await order(kept);
    moment = (await asAdmin<{ now: string }>('SELECT clock_timestamp()::text AS now'))?.now ?? '';
    await order(mistaken);
    const last = await asAdmin<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file');
    await eventually('the log to be archived', async () => {
      const archived = await asAdmin<{ file: string }>(
        'SELECT last_archived_wal AS file FROM pg_stat_archiver',
      );
      return (archived?.file ?? '') >= (last?.file ?? 'unknown');
    });
  }, 120_000);

  it('goes back to the moment before a mistake', async () => {
    await stack.stop();
    rmSync(dataDir, { recursive: true });
    const erasures = join(second, 'erasures.jsonl');
    const [until, undated] = [moment, moment.replace(/\+.*$/, '')];
    await expect(restore(second, dataDir, { erasures, archive, until: undated })).rejects.toThrow(/zone/);
    await expect(restore(second, dataDir, { erasures, until })).rejects.toThrow(/--archive/);
    await restore(second, dataDir, { erasures, archive, until });
    await startAgain();
    expect([await ordersNamed(kept), await ordersNamed(mistaken)]).toEqual([1, 0]);
    await order(mistaken);
  }, 120_000);
});

it('copies and restores the files that operator-root mounts in Compose, with all secrets', async () => {
  const server = join(dataDir, 'postgres');
  const url = new URL(stack.adminDatabaseUrl);
  const { password } = url;
  url.password = '';
  const secrets = join(folder, 'deploy', 'secrets');
  mkdirSync(secrets, { recursive: true });
  writeFileSync(join(secrets, 'MASTER_KEY'), 'key');
  writeFileSync(join(secrets, 'POSTGRES_PASSWORD'), 'administrator');
  const compose = composeFiles({
    POSTGRES_FOLDER: server,
    POSTGRES_URL: url.toString(),
    POSTGRES_PASSWORD: decodeURIComponent(password),
    DEPLOY_FOLDER: dirname(secrets),
  });
  if (!compose) throw new Error('the environment names no files');
  const third = join(folder, 'third');
  const kept = await organization.createOrder();
  await backUp(compose, third);
  expect(readFileSync(join(third, 'secrets', 'MASTER_KEY'), 'utf8')).toBe('key');
  writeFileSync(join(secrets, 'MASTER_KEY'), 'newer');
  writeFileSync(join(secrets, 'FURTHER'), 'newer');
  await organization.createOrder();
  const erasures = join(third, 'erasures.jsonl');
  await expect(restore(third, compose, { replace: true, erasures })).rejects.toThrow(/PostgreSQL runs/);
  const { uid, gid } = statSync(server);
  await stack.stop();
  await expect(restore(third, compose, { erasures })).rejects.toThrow(/--replace/);
  await expect(restore(third, compose, { replace: true })).rejects.toThrow(/--erasures <file>/);
  const replace = { replace: true, erasures };
  // What the log brings back may be under the newer key.
  await restore(third, compose, { ...replace, archive: '/archive' });
  expect(readdirSync(secrets)).toEqual(['FURTHER', 'MASTER_KEY', 'POSTGRES_PASSWORD']);
  // `init` makes these on a new machine.
  writeFileSync(join(secrets, 'POSTGRES_PASSWORD'), 'of another installation');
  await restore(third, compose, { ...replace, archive: '/archive' });
  expect(readFileSync(join(secrets, 'MASTER_KEY'), 'utf8')).toBe('key');
  expect(readFileSync(join(`${secrets}.before-restore`, 'MASTER_KEY'), 'utf8')).toBe('newer');
  expect(await restore(third, compose, replace)).toBe(0);
  expect(readdirSync(secrets)).toEqual(['MASTER_KEY', 'POSTGRES_PASSWORD']);
  expect(readFileSync(join(secrets, 'MASTER_KEY'), 'utf8')).toBe('key');
  expect(readdirSync(`${secrets}.before-restore`)).toEqual(['FURTHER', 'MASTER_KEY', 'POSTGRES_PASSWORD']);
  // As the image of PostgreSQL does when it starts.
  execFileSync('chown', ['-R', `${uid}:${gid}`, server]);
  await startAgain();
  const newest = await organization.api('GET', '/orders?sort=-created_at&limit=1');
  expect(json<{ data: { id: string }[] }>(newest).data).toMatchObject([{ id: kept.id }]);
}, 120_000);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, startStack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { withGenerousLimits } from '@offizin/testkit/generous-limits';
import { json } from '@offizin/testkit/http';
import { TestOrganization } from '@offizin/testkit/organization';
import { orderRequest } from '@offizin/testkit/order-request';
import { makePdf } from '@offizin/testkit/pdf';
import { accessTo, TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { backUp } from './backup';
import { restore } from './restore';

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
  stack = await start();
  const urls = { baseUrl: stack.urls.gateway, connectorUrl: stack.urls.connectorEdge };
  organization = new TestOrganization(urls, organization);
  await organization.becomeKnown();

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

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Stack, startStack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { foundBelow, type Needle, tablesWith } from '@offizin/testkit/plain-search';
import { accessTo, TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { backUp, restore } from './backup';

/**
 * Guarantee G26. An erased customer is in no answer, in no table, and after the vacuum in no file. After the restore
 * of an older backup the customer is in none of them. The tests follow one another on a separate stack.
 */
const folder = mkdtempSync(join(tmpdir(), 'offizin-erased-'));
const dataDir = join(folder, 'data');
const backup = join(folder, 'backup');
/** Part of every name, street, e-mail and text about the customers. */
const canary = `kanarie${uniqueTag()}`;
const needles: Needle[] = [{ name: 'a customer', text: canary }];
let stack: Stack;
let own: TestOrganization;
let database: Client;
const sent: { path: string; body: object; key: string }[] = [];
const erasures: object[] = [];

async function start(): Promise<void> {
  const extraEnv = withGenerousLimits({ 'order-core': { ERASURE_VACUUM_HOUR: '24' } });
  stack = await startStack({ dataDir, ports: 'free', extraEnv });
  database = new Client({ connectionString: stack.adminDatabaseUrl });
  await database.connect();
}

async function stop(): Promise<void> {
  await database.end();
  await stack.stop();
}

beforeAll(async () => {
  await start();
  const platform = await TestPlatform.connect(accessTo(stack));
  own = await platform.organization();
  await platform.close();
  await plant();
  await backUp(stack, backup);
}, 120_000);
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Under a key, which is replayed after the erasure. */
async function post(path: string, body: object): Promise<Record<string, string>> {
  const key = randomUUID();
  const answer = await own.api('POST', path, body, { 'idempotency-key': key });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.body.toString()}`);
  sent.push({ path, body, key });
  return json<Record<string, string>>(answer);
}

const customer = (who: string) => ({
  customer_name: `Name ${canary} ${who}`,
  address_street: `Street ${canary}`,
  address_city: `City ${canary}`,
  address_phone: canary,
});
const payload = (who: string, more: object = {}) => ({
  ...customer(who),
  questionnaire: { illness: canary },
  prescription_pdf_base64: makePdf(`${canary} ${who}`).toString('base64'),
  ...more,
});

/** One customer who is found by e-mail, and one each for an order, a request and a prescription without one. */
async function plant(): Promise<void> {
  const customer_email = `${canary}@example.org`;
  const shop_id = own.shops[0].shopId;
  const withEmail = { customer_email };
  // By e-mail: each path that takes a customer.
  const approved = await own.submit(orderRequest(payload('connector', withEmail)));
  await post(`/order-requests/${approved}/approve`, { customer_name: `Corrected ${canary}` });
  await post('/order-requests', orderRequest(payload('direct', { ...withEmail, shop_id })));
  const rejected = await own.submit(orderRequest(payload('rejected', withEmail)));
  const said = { note: `Note ${canary}`, message: `Message ${canary}` };
  await post(`/order-requests/${rejected}/reject`, { reason: 'other', ...said });
  const reference = { external_reference: uniqueTag() };
  const asked = await own.submit(orderRequest(payload('asked', withEmail), reference));
  for (const round of ['first', 'second']) {
    await post(`/order-requests/${asked}/request-clarification`, { question: `${round} ${canary}` });
    await own.submit(orderRequest(payload(round, withEmail), reference));
  }
  const upsert = { shop_id, external_id: uniqueTag(), ...customer('upsert'), ...withEmail };
  const { id } = await post('/orders', upsert);
  await post('/orders', upsert);
  await own.api('PUT', `/orders/${id}`, { customer_name: `New ${canary}` });
  const parcel = { tracking_number: uniqueTag(), url: `https://example.org/${canary}` };
  await post(`/orders/${id}/parcels`, { carrier: 'other', ...parcel });
  await post('/prescriptions/ingest', prescription({ 'Customer Email': customer_email }));
  // By id: nothing has an e-mail but the prescription, which must have one.
  const direct = await post('/order-requests', orderRequest(payload('by order', { shop_id })));
  const { order_id } = await post(`/order-requests/${direct['id']}/approve`, {});
  const order_request_id = await own.submit(orderRequest(payload('by request')));
  const other = { 'Customer Email': `other.${canary}@example.org` };
  const { id: prescription_id } = await post('/prescriptions/ingest', prescription(other));
  const further = await post('/orders', { shop_id, external_id: uniqueTag(), ...customer('further') });
  erasures.push({ email: customer_email.toUpperCase() }, { order_id }, { order_request_id });
  erasures.push({ prescription_id }, { order_id: further['id'] });
}

function prescription(more: object): object {
  return {
    'Customer First Name': canary,
    'Customer Last Name': canary,
    'External Id': uniqueTag(),
    'Shop Id': own.shops[0].shopId,
    'Questionnaire Indication': canary,
    'Receipt Pdf Base64': makePdf(canary).toString('base64'),
    ...more,
  };
}

/** Every read of orders, requests, prescriptions, events and audit entries. */
async function everyAnswer(): Promise<HttpAnswer[]> {
  const lists = ['/orders', '/order-requests', '/prescriptions', '/events', '/audit-log'];
  const found: HttpAnswer[] = [];
  for (const path of lists) {
    const list = await own.api('GET', `${path}?limit=100`);
    found.push(list);
    if (path === '/events' || path === '/audit-log') continue;
    for (const { id } of json<{ data: { id: string }[] }>(list).data)
      found.push(await own.api('GET', `${path}/${id}`), await own.api('GET', `${path}/${id}/history`));
  }
  found.push(await own.api('GET', '/reports/top-customers'), await own.api('GET', `/orders?q=${canary}`));
  return found;
}

async function expectNoAnswerTells(): Promise<void> {
  const answers = await everyAnswer();
  expect(answers.length).toBeGreaterThan(20);
  for (const { body } of answers) expect(body.toString()).not.toContain(canary);
}

async function expectNoTableHolds(): Promise<void> {
  expect(await tablesWith(database, needles)).toEqual([]);
}

/** pg_wal is left out: the log of changes keeps what was written until its files are used again. */
async function expectNoFileHolds(): Promise<void> {
  await eventually(
    'the vacuum after the erasures',
    async () => {
      const waiting = await database.query('SELECT FROM core.erasures WHERE vacuumed_at IS NULL');
      return waiting.rowCount === 0;
    },
    30_000,
  );
  // The planner's statistics are the system's: autovacuum does this within minutes, the test does not wait for it.
  await database.query('VACUUM FULL pg_statistic');
  await database.query('CHECKPOINT');
  const inFiles = foundBelow(join(dataDir, 'postgres', 'base'), needles);
  expect(inFiles).toEqual([]);
  expect(foundBelow(stack.nats?.storeDir ?? '', needles)).toEqual([]);
  expect(foundBelow(join(dataDir, 'logs'), needles)).toEqual([]);
}

it('is there before: in answers, in tables, in files and in the backup', async () => {
  const told = (await everyAnswer()).filter(({ body }) => body.toString().includes(canary));
  expect(told.length).toBeGreaterThan(10);
  expect(await tablesWith(database, needles)).toEqual([
    'core.order_history',
    'core.order_request_versions',
    'core.order_request_words',
    'core.order_requests',
    'core.order_words',
    'core.orders',
  ]);
  expect(foundBelow(join(backup, 'postgres', 'base'), needles)).not.toEqual([]);
});

it('no answer, no replay and no table has it once the erasures are answered', async () => {
  for (const body of erasures) {
    const answer = await own.api('POST', '/customers/erase', body);
    expect(json(answer)).toMatchObject({ status: 'done' });
  }
  await expectNoAnswerTells();
  for (const { path, body, key } of sent) {
    const replay = await own.api('POST', path, body, { 'idempotency-key': key });
    expect([path, replay.body.toString()]).toEqual([path, expect.not.stringContaining(canary)]);
    expect([path, replay.status]).toEqual([path, replay.headers['idempotent-replayed'] ? 200 : 409]);
  }
  await expectNoTableHolds();
});

it('no file of the database, of the broker and of the logs has it after the vacuum', async () => {
  await expectNoFileHolds();
}, 60_000);

it('a restore of the backup made before brings nobody back', async () => {
  await stop();
  expect(await restore(backup, dataDir, { replace: true })).toBe(erasures.length);
  await start();
  const urls = { baseUrl: stack.urls.gateway, connectorUrl: stack.urls.connectorEdge };
  own = new TestOrganization(urls, own);
  await expectNoTableHolds();
  await own.becomeKnown();
  await expectNoAnswerTells();
  for (const { path, body, key } of sent) {
    const replay = await own.api('POST', path, body, { 'idempotency-key': key });
    expect([path, replay.body.toString()]).toEqual([path, expect.not.stringContaining(canary)]);
  }
  await expectNoFileHolds();
}, 120_000);

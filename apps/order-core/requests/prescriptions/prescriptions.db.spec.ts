import { listAuditLog } from '@offizin/contracts/reports/audit';
import {
  getPrescription,
  getReceiptPdf,
  ingestPrescription,
  listPrescriptions,
  readIngestedToken,
  RECEIPT_KEY,
} from '@offizin/contracts/requests/prescriptions';
import { type Database, statement } from '@offizin/pg/database';
import { makePdf } from '@offizin/testkit/pdf';
import { untilAnswered } from '@offizin/testkit/race';
import { AuditVerifier } from '../../audit/audit-verifier';
import { AuditHandlers } from '../../audit/audit.handlers';
import { type HandlerTable, OrderCoreFixture, silentRelay } from '../../spec/spec-fixture';
import { PrescriptionsHandlers } from './prescriptions.handlers';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { documentParts, specKeys } from '../../spec/request-handlers';
import { coreSpec } from '../../spec/core-spec';

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made), { further: handlersOf, isShared: true });

function handlersOf(database: Database): HandlerTable {
  const dataKeys = specKeys(database);
  const { threads, fetcher, reads } = documentParts(database, dataKeys);
  const prescriptions = new PrescriptionsHandlers(database, silentRelay(), dataKeys, fetcher, threads, reads);
  return handlersIn(prescriptions, new AuditHandlers(database, new AuditVerifier(database, dataKeys)));
}

let serial = 0;
function newBody(keys: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    'Customer Email': `customer-${++serial}@example.org`,
    'Questionnaire Sleep': `bad ${serial}`,
    ...keys,
  };
}

async function ingest(body: object, shopId = core.shopId): Promise<string> {
  const answer = await untilAnswered(() =>
    core.call(ingestPrescription, { body, query: `shop_id=${shopId}` }),
  );
  expect(answer).toMatchObject({ status: 200, body: { upsert: 'ok' } });
  return answer.body.id;
}

async function read(prescriptionId: string) {
  return (await core.call(getPrescription, { params: { orgId: core.orgId, prescriptionId } })).body;
}

/** As `action part`, oldest first. */
async function actionsOn(prescriptionId: string): Promise<string[]> {
  const whole = `prescription:${prescriptionId}`;
  const { body } = await core.call(listAuditLog, { query: `object=${whole}` });
  return body.data
    .map(({ action, object }) => `${action} ${object.slice(whole.length + 1)}`.trim())
    .reverse();
}

it('stores a hundred equal concurrent ingests as one row, one id, one event, one audit entry', async () => {
  const body = newBody();
  const ids = await Promise.all(Array.from({ length: 100 }, () => ingest(body)));
  const [id = ''] = ids;
  expect(new Set(ids).size).toBe(1);
  expect(await core.eventsOf(id)).toMatchObject([
    {
      event_type: 'prescription_received',
      sequence: 1,
      metadata: { prescription_id: id, shop_id: core.shopId },
    },
  ]);
  expect(await actionsOn(id)).toEqual(['prescription.create']);
});

it('updates once when an External Id repeats with another body; at another shop it is a new prescription', async () => {
  const body = newBody({ 'External Id': 'x-1', 'Order Total Amount': 10 });
  const id = await ingest(body);
  const changed = { ...body, 'Order Total Amount': 20.5, 'Customer Email': 'new@example.org' };
  const ids = await Promise.all(Array.from({ length: 10 }, () => ingest(changed)));
  expect(new Set(ids)).toEqual(new Set([id]));
  expect(await read(id)).toMatchObject({
    order_total_amount: 20.5,
    customer_email: 'new@example.org',
    external_id: 'x-1',
    data: changed,
  });
  expect(await core.eventsOf(id)).toHaveLength(1);
  const actions = ['prescription.create', 'prescription.update', 'prescription.read version:2'];
  expect(await actionsOn(id)).toEqual(actions);
  expect(await ingest(body, core.otherShopId)).not.toBe(id);
});

it('takes a name alone, and shows the token of an e-prescription only to a look', async () => {
  const name = { 'Customer Email': undefined, 'Customer Last Name': 'Mustermann', 'External Id': 'token' };
  const token = { task_id: '160.000.033.491.280.78', access_code: 'a'.repeat(64) };
  const given = { 'E Prescription Task Id': token.task_id, 'E Prescription Access Code': token.access_code };
  const id = await ingest(newBody({ ...name, ...given }));
  const look = (prescriptionId: string) =>
    core.call(readIngestedToken, { params: { prescriptionId }, caller: core.staff() });
  expect(JSON.stringify(await read(id))).not.toContain(token.access_code);
  expect((await look(id)).body).toEqual(token);
  const other = { ...given, 'E Prescription Access Code': 'b'.repeat(64) };
  expect(await ingest(newBody({ ...name, ...other }))).toBe(id);
  expect((await look(id)).body.access_code).toBe('b'.repeat(64));
  expect(await actionsOn(id)).toEqual([
    'prescription.create',
    'prescription.read version:1',
    'e-prescription.view version:1',
    'prescription.update',
    'e-prescription.view version:2',
  ]);
  expect(await ingest(newBody(name))).toBe(id);
  expect((await look(id)).status).toBe(404);
  expect((await look('none')).status).toBe(404);
});

it('keeps a receipt that an update omits, and replaces it by another', async () => {
  const receipt = (title: string) => ({ [RECEIPT_KEY]: makePdf(title).toString('base64') });
  const body = newBody({ 'External Id': 'with-receipt' });
  const id = await ingest({ ...body, ...receipt('first') });
  const first = (await read(id)).receipt;
  expect(first).toMatchObject({ state: 'stored', failure: null });
  await ingest({ ...body, 'Order Total Amount': 1 });
  expect((await read(id)).receipt).toEqual(first);
  await ingest({ ...body, ...receipt('second') });
  expect((await read(id)).receipt?.pdf_sha256).not.toBe(first?.pdf_sha256);
});

it('names in the audit log the receipt that was read, by the version of the prescription that it came with', async () => {
  const receipt = (title: string) => ({ [RECEIPT_KEY]: makePdf(title).toString('base64') });
  const body = newBody({ 'External Id': 'read-receipts' });
  // Bytes: their content is proved elsewhere.
  const readReceipt = (prescriptionId: string) =>
    core.call(getReceiptPdf, { params: { prescriptionId } }).catch(() => undefined);
  const id = await ingest({ ...body, ...receipt('first') });
  await readReceipt(id);
  await ingest({ ...body, ...receipt('first'), 'Order Total Amount': 1 });
  await readReceipt(id);
  await ingest({ ...body, ...receipt('second') });
  await readReceipt(id);
  const reads = (await actionsOn(id)).filter((action) => action.startsWith('prescription.read-receipt'));
  expect(reads).toEqual(
    [1, 1, 3].map((version) => `prescription.read-receipt document:1:version:${version}`),
  );
});

it('refuses invalid input, names the keys, and stores nothing', async () => {
  const before = await test.database.rows(rowCount);
  const refused = await core.call(ingestPrescription, {
    body: { 'Customer Email': 'x', 'Order Total Amount': '1', 'Shop Id': core.shopId },
  });
  expect(refused.status).toBe(400);
  expect(refused.body.details?.map(({ field }) => field)).toEqual(['Customer Email', 'Order Total Amount']);
  expect((await core.call(ingestPrescription, { body: newBody() })).status).toBe(400);
  for (const shop of ['nonsense', '0197c4f0-0000-7000-8000-000000000000']) {
    expect((await core.call(ingestPrescription, { body: newBody({ 'Shop Id': shop }) })).status).toBe(404);
  }
  expect(await test.database.rows(rowCount)).toEqual(before);
});

describe('the list', () => {
  it('filters by customer in any case, shop and time; each page adds one audit entry with its count', async () => {
    const email = `Erika.${++serial}@Example.org`;
    const ids = [];
    for (const shop of [core.shopId, core.shopId, core.otherShopId]) {
      ids.unshift(await ingest(newBody({ 'Customer Email': email }), shop));
    }
    const list = async (query: string) => (await core.call(listPrescriptions, { query })).body;
    const same = encodeURIComponent(email.toLowerCase());
    const all = await list(`customer_email=${same}`);
    expect(all.data.map(({ id }) => id)).toEqual(ids);
    expect(all.data[0]).toMatchObject({ customer_email: email, shop_id: core.otherShopId });
    expect(all.data[0]).not.toHaveProperty('data');
    expect((await list(`customer_email=${same}&shop_id=${core.shopId}`)).pagination.total).toBe(2);
    const page = await list(`customer_email=${same}&limit=2`);
    const rest = await list(`customer_email=${same}&limit=2&cursor=${page.pagination.next_cursor ?? ''}`);
    expect([...page.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
    const now = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect((await list(`created_from=${now}`)).data).toEqual([]);
    expect((await list(`created_to=${now}&customer_email=${same}`)).data).toHaveLength(3);
    expect((await core.call(listPrescriptions, { query: 'customer_email=x' })).status).toBe(400);
    expect((await core.call(listPrescriptions, { query: 'shop_id=x' })).status).toBe(404);
    const { body } = await core.call(listAuditLog, { query: 'action=prescription.list' });
    expect(body.data.map(({ object }) => object)).toEqual(
      [3, 0, 1, 2, 2, 3].map((count) => `prescriptions:${count}`),
    );
  });
});

const rowCount = statement<{ count: number }, []>(
  'spec_prescriptions',
  'SELECT count(*)::int AS count FROM core.prescriptions',
);

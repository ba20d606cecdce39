import { randomBytes } from 'node:crypto';
import { listAuditLog } from '@offizin/contracts/reports/audit';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { getOrderRequest, requestClarification } from '@offizin/contracts/requests/order-request-review';
import * as added from '@offizin/contracts/requests/added-documents';
import * as requests from '@offizin/contracts/requests/order-requests';
import { getPrescription, ingestPrescription, RECEIPT_KEY } from '@offizin/contracts/requests/prescriptions';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderRequest } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { AuditVerifier } from '../audit/audit-verifier';
import { AuditHandlers } from '../audit/audit.handlers';
import { orderCoreSchema } from '../db/schema';
import { DataKeys } from '../crypto/data-keys.store';
import { emailHash, encrypt } from '../crypto/encryption';
import { PrescriptionsHandlers } from '../requests/prescriptions/prescriptions.handlers';
import { documentParts, foundCounts, requestHandlers } from '../spec/request-handlers';
import { OrderCoreFixture, silentChanges, silentRelay } from '../spec/spec-fixture';
import { storedText } from '../spec/stored-text';
import { CustomersHandlers } from './customers.handlers';
import { Eraser } from './eraser';
import { type ErasureJob, erasureProgress, insertErasure } from './erasure-jobs.store';
import { eraseOldTests } from './test-shop-erasure.store';

const EMAIL = 'Erika.Canary@example.org';
const NAME = 'Erika Canary';

let test: TestDatabase;
let core: OrderCoreFixture;
let other: OrderCoreFixture;
let dataKeys: DataKeys;
let eraser: Eraser;

beforeEach(async () => {
  test = await testDatabase(orderCoreSchema);
  const { database } = test;
  dataKeys = new DataKeys(database, [randomBytes(32)]);
  eraser = new Eraser(database, dataKeys, silentRelay(), silentChanges());
  const { threads, fetcher, reads } = documentParts(database, dataKeys);
  const own = handlersIn(
    new PrescriptionsHandlers(database, silentRelay(), dataKeys, fetcher, threads, reads),
    new CustomersHandlers(database, dataKeys, eraser),
    new AuditHandlers(database, new AuditVerifier(database, dataKeys)),
  );
  const handlers = [...requestHandlers(database, dataKeys), ...own];
  core = await OrderCoreFixture.make(database, handlers);
  other = await OrderCoreFixture.make(database, handlers);
});
afterEach(() => test.close());

async function order(at: OrderCoreFixture, externalId: string, customer_email = EMAIL): Promise<string> {
  const address = { address_street: 'Canary Weg 1', address_city: 'Ort', address_phone: '0123' };
  const customer = { customer_name: NAME, customer_email, ...address };
  return (await at.upsert(externalId, { total_amount: 12.5, ...customer })).body.id;
}

async function request(at: OrderCoreFixture, reference: string, customer_email = EMAIL): Promise<string> {
  const pdf = { prescription_pdf_base64: makePdf(NAME).toString('base64') };
  const payload = { customer_name: NAME, customer_email, shop_id: at.shopId, ...pdf };
  const body = orderRequest(payload, { external_reference: reference });
  return (await at.call(requests.submitOrderRequest, { body })).body.id;
}

async function ask(requestId: string, question: string): Promise<void> {
  const answer = await core.call(requestClarification, { params: { requestId }, body: { question } });
  expect(answer.status).toBe(200);
}

const ingested = (externalId: string) => ({
  'Customer Email': EMAIL.toUpperCase(),
  'Customer Last Name': 'Canary',
  'Order Total Amount': 9.99,
  'External Id': externalId,
  'Questionnaire Indication': 'pain',
  [RECEIPT_KEY]: makePdf(NAME).toString('base64'),
});
const ingest = (at: OrderCoreFixture, body: object) =>
  at.call(ingestPrescription, { body, query: `shop_id=${at.shopId}` });
const prescription = async (at: OrderCoreFixture, externalId: string) =>
  (await ingest(at, ingested(externalId))).body.id;

async function erase(email = EMAIL) {
  return (await core.call(eraseCustomer, { body: { email } })).body;
}

const link = statement<never, [string, string]>(
  'spec_link',
  `WITH linked AS (UPDATE core.orders SET order_request_id = $2 WHERE id = $1)
   UPDATE core.order_requests SET order_id = $1 WHERE id = $2`,
);
const ageConfirmation = statement<never, [string]>(
  'spec_age_confirmation',
  `UPDATE core.staff_sessions SET confirmed_at = 'epoch' WHERE id = $1`,
);
const documentCount = statement<{ count: number }, [string]>(
  'spec_documents',
  'SELECT count(*)::int AS count FROM core.documents WHERE org_id = $1',
);

const tablesOf = ({ orgId }: OrderCoreFixture) => storedText(test.database, orgId);
const TOKEN = { task_id: '160.000.033.491.280.78', access_code: '0123456789abcdef'.repeat(4) };
const tokensOf = statement<{ token: Buffer | null }, [string]>(
  'spec_tokens',
  'SELECT e_prescription_ciphertext AS token FROM core.order_requests WHERE org_id = $1',
);
const tokens = (at: OrderCoreFixture) => test.database.rows(tokensOf, at.orgId);
const found = (q: string) => foundCounts(test.database, dataKeys, core.orgId, q);
async function documentsOf(at: OrderCoreFixture): Promise<number> {
  return (await test.database.rows(documentCount, at.orgId))[0]?.count ?? -1;
}

it('removes the customer from every table, keeps amounts and statuses, and leaves other customers alone', async () => {
  const orderId = await order(core, 'a');
  await core.update(orderId, { customer_name: `${NAME} II` });
  const requestId = await request(core, 'r');
  const prescriptionId = await prescription(core, 'p');
  const foreign = [await order(other, 'a'), await prescription(other, 'p')];
  const somebody = { customer_name: 'Somebody', customer_email: 'somebody@example.org' };
  const { id: neighbourId } = (await core.upsert('b', somebody)).body;
  expect(await documentsOf(core)).toBe(2);
  expect([await found('canary'), await found(EMAIL)]).toEqual([
    [1, 1],
    [1, 0],
  ]);

  expect(await erase(EMAIL.toLowerCase())).toMatchObject({
    status: 'done',
    orders: 1,
    order_requests: 1,
    prescriptions: 1,
  });

  expect([await found('canary'), await found(EMAIL)]).toEqual([
    [0, 0],
    [0, 0],
  ]);
  const tables = await tablesOf(core);
  expect(tables).not.toMatch(/canary/i);
  expect(tables).toContain(requestId);
  expect(await documentsOf(core)).toBe(0);
  expect(await core.falseSummaries()).toEqual([]);
  expect(await core.order(orderId)).toMatchObject({
    status: 'pending',
    total_amount: 12.5,
    customer_name: null,
    customer_email: null,
  });
  const actions = (await core.historyOf(orderId)).map(({ action }) => action);
  expect(actions).toEqual(['created', 'updated', 'updated']);
  expect((await core.eventsOf(orderId)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  const read = await core.call(getPrescription, { params: { orgId: core.orgId, prescriptionId } });
  expect(read.body).toMatchObject({ order_total_amount: 9.99, customer_email: null, receipt: null });
  expect(read.body.data).toEqual({ 'External Id': 'p', 'Order Total Amount': 9.99 });
  expect(await core.order(neighbourId)).toMatchObject(somebody);
  expect(await tablesOf(other)).toContain(foreign[0]);
  expect(await tablesOf(other)).toContain(EMAIL);
  expect(await documentsOf(other)).toBe(1);
});

it('asks a person for a recent confirmation, and erases nothing before', async () => {
  await order(core, 'a');
  const caller = core.staff('owner');
  const body = { email: 'nobody@example.org' };
  expect((await core.call(eraseCustomer, { caller, body })).status).toBe(200);
  await test.database.rows(ageConfirmation, caller.sessionId ?? '');
  expect((await core.call(eraseCustomer, { caller, body: { email: EMAIL } })).status).toBe(403);
  expect(await tablesOf(core)).toContain(EMAIL);
});

it('is idempotent: a repeat finds nothing to erase', async () => {
  await order(core, 'a');
  expect(await erase()).toMatchObject({ status: 'done', orders: 1 });
  expect(await erase()).toMatchObject({ status: 'done', orders: 0, order_requests: 0, prescriptions: 0 });
});

it('finds an e-mail in other case, whatever letters it has, and no other e-mail', async () => {
  for (const sent of ['ÁSA.Øre@example.org', 'ása.øre@example.org', 'Ása.øre@example.org'])
    await order(core, sent, sent);
  await order(core, 'other', 'straße@example.org');
  expect(await erase('strasse@example.org')).toMatchObject({ orders: 0 });
  expect(await erase('ása.ØRE@example.org')).toMatchObject({ status: 'done', orders: 3 });
});

it.each([
  ['x@exämple.de', ['x@xn--exmple-cua.de', 'X@EXÄMPLE.DE', 'x@exa\u0308mple.de']],
  ['x@xn--exmple-cua.de', ['X@exämple.de', 'x@Exämple.de', 'x@XN--EXMPLE-CUA.DE']],
  ['σασ@example.org', ['ΣΑΣ@example.org', 'σας@example.org', 'Σας@example.org']],
  ['ΣΑΣ.ΣΑΣ@ΕΛΛΆΔΑ.gr', ['σας.σας@ελλάδα.gr', 'ΣΑΣ.ΣΑΣ@xn--hxakic4aa.gr', 'Σας.σας@Ελλάδα.gr']],
  ['Jörg@example.org', ['Jo\u0308rg@example.org', 'JÖRG@example.org', 'jörg@example.org']],
  ['Jo\u0308rg@example.org', ['Jörg@example.org', 'JO\u0308RG@example.org', 'jo\u0308rg@example.org']],
])('finds the mailbox of %s in orders, history, requests and prescriptions, as %j', async (email, forms) => {
  for (const [at, form] of forms.entries()) {
    const former = await order(core, `former ${at}`, form);
    await core.update(former, { customer_name: 'Max', customer_email: 'max@example.org' });
    await order(core, `${at}`, form);
    await request(core, `${at}`, form);
    await ingest(core, { ...ingested(`${at}`), 'Customer Email': form });
  }
  await order(core, 'other', 'y@exämple.de');
  const found = { orders: forms.length, order_requests: forms.length, prescriptions: forms.length };
  expect(await erase(email)).toMatchObject({ status: 'done', ...found });
  const left = await tablesOf(core);
  expect(forms.filter((form) => left.includes(form))).toEqual([]);
});

it('finds an e-mail that only the history holds, and leaves the order to its current customer', async () => {
  const orderId = await order(core, 'a');
  await core.update(orderId, { customer_name: 'Max', customer_email: 'max@example.org' });
  // Nothing of the order itself was emptied.
  expect(await erase()).toMatchObject({ status: 'done', orders: 0 });
  expect(await tablesOf(core)).not.toContain(EMAIL);
  expect((await core.order(orderId)).customer_email).toBe('max@example.org');
});

it('erases only the older version of a request that now belongs to another customer', async () => {
  const reference = 'r';
  const requestId = await request(core, reference);
  await ask(requestId, 'Is this your address?');
  const pdf = { prescription_pdf_base64: makePdf('Max').toString('base64') };
  const payload = { customer_name: 'Max', customer_email: 'max@example.org', shop_id: core.shopId, ...pdf };
  const body = orderRequest(payload, { external_reference: reference });
  expect((await core.call(requests.submitOrderRequest, { body })).body).toMatchObject({ id: requestId });
  const read = async () => (await core.call(getOrderRequest, { params: { requestId } })).body;
  expect((await read()).versions).toHaveLength(2);
  expect(await documentsOf(core)).toBe(2);

  expect(await erase()).toMatchObject({ status: 'done', order_requests: 1 });
  const left = await read();
  expect(left.versions).toMatchObject([{ number: 2, payload: { customer_email: 'max@example.org' } }]);
  expect([left.customer_name, left.prescription?.version]).toEqual(['Max', 2]);
  expect(await documentsOf(core)).toBe(1);
  const { data } = (await core.call(listAuditLog, { query: 'action=order-request.erase' })).body;
  expect(data.map(({ object }) => object)).toEqual([`order-request:${requestId}`]);
  expect(await erase()).toMatchObject({ status: 'done', order_requests: 0 });
});

it('encrypts the URL of a prescription, shows it to staff, and erases it with its request', async () => {
  const prescription_pdf_url = 'https://clinic.example/canary-prescription.pdf?token=canary';
  const payload = { customer_email: EMAIL, shop_id: core.shopId, prescription_pdf_url };
  const { id: requestId } = (await core.call(requests.submitOrderRequest, { body: orderRequest(payload) }))
    .body;
  expect(await tablesOf(core)).not.toContain('canary-prescription');
  const { prescription } = (await core.call(getOrderRequest, { params: { requestId } })).body;
  expect(prescription).toMatchObject({ state: 'waiting', url: prescription_pdf_url });
  await erase();
  expect(await documentsOf(core)).toBe(0);
});

it('takes several batches, with concurrent erasers, and counts each object once', async () => {
  for (let n = 0; n < 60; n++) await order(core, `o-${n}`);
  for (let n = 0; n < 30; n++) await request(core, `r-${n}`);
  const [first, second] = await Promise.all([erase(), erase()]);
  expect(first.orders + second.orders).toBe(60);
  expect(first.order_requests + second.order_requests).toBe(30);
  expect(await tablesOf(core)).not.toMatch(/erika.canary/i);
});

/** An erasure whose process has died. */
async function asked(at: OrderCoreFixture, more: Partial<ErasureJob> = {}): Promise<ErasureJob> {
  const { orgId: org_id, keyId: actor_id } = at;
  const [id, key] = [newId(), await dataKeys.keyOf(org_id)];
  const by = { request_id: 'asked', actor_kind: 'key', actor_id } as const;
  const subject = { email_hash: emailHash(key, EMAIL), object_kind: null, object_id: null };
  const email_ciphertext = encrypt(key, Buffer.from(EMAIL), id);
  const job = { id, org_id, ...by, ...subject, email_ciphertext, ...more };
  await insertErasure(test.database, job);
  return job;
}

it('is continued by another process after a crash, in the name of the original caller', async () => {
  const orderId = await order(core, 'a');
  const { id } = await asked(core);
  const progress = () => erasureProgress(test.database, core.orgId, id);
  await eventually('the erasure to be done', async () => {
    await eraser.continueJobs();
    return (await progress())?.status === 'done';
  });
  expect(await progress()).toMatchObject({ orders: 1 });
  const { body } = await core.call(listAuditLog, { query: `object=order:${orderId}` });
  expect(body.data[0]).toMatchObject({
    action: 'order.update',
    actor: `key:${core.keyId}`,
    request_id: 'asked',
  });
});

it('goes on with the erasures of others where one fails', async () => {
  const { database } = test;
  await order(other, 'o-1');
  // No key decrypts its e-mail.
  const broken = await asked(core, { email_ciphertext: randomBytes(40) });
  const sound = await asked(other);
  await eventually('the erasure that can be done', async () => {
    await eraser.continueJobs().catch(() => undefined);
    return (await erasureProgress(database, other.orgId, sound.id))?.status === 'done';
  });
  expect(await erasureProgress(database, core.orgId, broken.id)).toMatchObject({ status: 'running' });
  await expect(eraser.continueJobs()).rejects.toThrow();
});

it('of an order by id includes its request, and leaves the other orders of the customer', async () => {
  const requestId = await request(core, 'r');
  const [orderId, otherId] = [await order(core, 'a'), await order(core, 'b')];
  await test.database.rows(link, orderId, requestId);
  for (const body of [{ order_id: orderId.toUpperCase() }, { order_request_id: requestId }]) {
    const erased = (await core.call(eraseCustomer, { body })).body;
    const [orders, order_requests] = 'order_id' in body ? [1, 1] : [0, 0];
    expect(erased).toMatchObject({ status: 'done', orders, order_requests, prescriptions: 0 });
  }
  expect((await core.order(orderId)).customer_name).toBeNull();
  expect((await core.order(otherId)).customer_name).toBe(NAME);
  expect(await documentsOf(core)).toBe(0);
  const { body } = await core.call(listAuditLog, { query: 'action=customer.erase' });
  expect(body.data.map(({ object }) => object)).toEqual([`order-request:${requestId}`, `order:${orderId}`]);
});

const DOORS = {
  organization: [requests.submitOrderRequest, requests.replaceOrderRequest, added.addDocument],
  connector: [requests.submitExternalOrder, requests.replaceExternalOrder, added.addExternalDocument],
} as const;
const CONFLICT = { status: 409, body: { error: 'conflict', message: expect.stringMatching(/erased/) } };

it.each(Object.entries(DOORS))(
  'of a request of the %s without e-mail works by id, with all versions, and it takes no new content',
  async (_, [submit, replace, add]) => {
    const body = (name: string) =>
      orderRequest(
        { customer_name: name, shop_id: core.shopId, e_prescription: TOKEN },
        { external_reference: 'r' },
      );
    const { id } = (await core.call(submit, { body: body(NAME) })).body;
    await ask(id, 'Who?');
    await core.call(submit, { body: body(`${NAME} II`) });
    const erased = (await core.call(eraseCustomer, { body: { order_request_id: id } })).body;
    expect(erased).toMatchObject({ status: 'done', order_requests: 1 });
    expect(await tokens(core)).toEqual([{ token: null }]);
    const params = { requestId: id };
    const document = { kind: 'other', pdf_base64: makePdf(NAME).toString('base64') };
    for (const name of [NAME, `${NAME} II`, 'Max']) {
      expect(await core.call(submit, { body: body(name) })).toMatchObject(CONFLICT);
      expect(await core.call(replace, { params, body: body(name) })).toMatchObject(CONFLICT);
    }
    expect(await core.call(add, { params, body: document })).toMatchObject(CONFLICT);
    expect(await tablesOf(core)).not.toContain(NAME);
    expect(JSON.stringify((await core.call(getOrderRequest, { params })).body)).not.toContain(NAME);
  },
);

it('of a prescription by id happens once, and it takes no new content', async () => {
  const [id, otherId] = [await prescription(core, 'p'), await prescription(core, 'q')];
  for (const prescriptions of [1, 0]) {
    const erased = (await core.call(eraseCustomer, { body: { prescription_id: id } })).body;
    expect(erased).toMatchObject({ status: 'done', orders: 0, order_requests: 0, prescriptions });
  }
  const read = async (prescriptionId: string) =>
    (await core.call(getPrescription, { params: { orgId: core.orgId, prescriptionId } })).body;
  expect((await read(id)).customer_last_name).toBeNull();
  expect((await read(otherId)).customer_last_name).toBe('Canary');
  for (const late of [{}, { 'Customer Last Name': 'Canary II' }])
    expect(await ingest(core, { ...ingested('p'), ...late })).toMatchObject(CONFLICT);
});

it('appears in the audit log without the e-mail', async () => {
  await erase();
  const { body } = await core.call(listAuditLog, { query: 'action=customer.erase' });
  expect(body.data).toEqual([
    expect.objectContaining({ object: expect.stringMatching(/^customer:[0-9a-f]{64}$/) }),
  ]);
});

it('happens by itself to what is in a test shop for 90 days', async () => {
  const { database } = test;
  const made = [await order(core, 'a'), await request(core, 'r'), await prescription(core, 'p')];
  const aged = (table: string) =>
    statement<never, [string, number]>(
      `spec_aged_${table}`,
      `UPDATE core.${table} SET created_at = now() - make_interval(days => $2), is_test = true WHERE org_id = $1`,
    );
  const tables = ['orders', 'order_requests', 'prescriptions'];
  for (const [age, remains] of [
    [89, true],
    [91, false],
  ] as const) {
    for (const table of tables) await database.rows(aged(table), core.orgId, age);
    await Promise.all([eraseOldTests(database), eraseOldTests(database)]);
    await eraser.continueJobs();
    expect((await tablesOf(core)).includes(NAME)).toBe(remains);
  }
  await eraseOldTests(database);
  const { body } = await core.call(listAuditLog, { query: 'limit=200' });
  const erased = body.data.filter(({ action }) => action.endsWith('.erase') || action === 'order.update');
  expect(erased.map(({ actor, object }) => [actor, object.split(':')[1]]).sort()).toEqual(
    made.map((id) => ['service:test', id]).sort(),
  );
});

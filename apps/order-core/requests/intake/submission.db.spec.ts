import { createHash } from 'node:crypto';
import type { Caller } from '@offizin/contracts/calls/caller';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as api from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { makePdf } from '@offizin/testkit/pdf';
import { race } from '@offizin/testkit/race';
import { revokeKey } from '../../people/directory/keys.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { requestHandlers } from '../../spec/request-handlers';
import { coreSpec } from '../../spec/core-spec';

const countRequests = statement<{ count: number }, [string]>(
  'spec_count_requests',
  'SELECT count(*)::int AS count FROM core.order_requests WHERE org_id = $1',
);
const auditOf = statement<{ action: string; org_id: string }, [string]>(
  'spec_audit_of_request',
  'SELECT action, org_id FROM core.audit_log WHERE object = $1',
);
const allBytes = statement<{ request: Buffer; document: Buffer | null; row: string }, [string]>(
  'spec_request_bytes',
  `SELECT r.payload_ciphertext AS request, d.ciphertext AS document, to_json(r)::text AS row
   FROM core.order_requests r LEFT JOIN core.documents d ON d.order_request_id = r.id WHERE r.org_id = $1`,
);

const documentsOf = statement<{ request: string; sha256: string | null; state: string }, [string]>(
  'spec_documents_of_org',
  `SELECT order_request_id AS request, encode(sha256, 'hex') AS sha256, state
   FROM core.documents WHERE org_id = $1`,
);

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made), { further: (database) => requestHandlers(database) });
const makeFixture = (): Promise<OrderCoreFixture> =>
  OrderCoreFixture.make(test.database, requestHandlers(test.database));

const TOKEN = { task_id: '160.000.033.491.280.78', access_code: '0123456789abcdef'.repeat(4) };
const PAYLOAD = { customer_name: 'Jörg', items: [{ name: 'Blüte', quantity: 2, price: 9.95 }] };

async function submit(envelope: Record<string, unknown> = {}, shopId = core.shopId) {
  return core.call(api.submitExternalOrder, {
    caller: core.partner(shopId),
    body: { payload: PAYLOAD, ...envelope },
  });
}

function sha256Of(bytes: Buffer | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

async function requestCount(): Promise<number | undefined> {
  return (await test.database.rows(countRequests, core.orgId))[0]?.count;
}

it('stores a request once and publishes one event without customer data', async () => {
  const { status, body } = await submit({ external_reference: 'r' });
  expect([status, body.status, body.external_reference]).toEqual([200, 'pending', 'r']);
  const events = await core.eventsOf(body.id);
  expect(events).toMatchObject([{ event_type: 'order_request_submitted', sequence: 1, topic: 'plain' }]);
  expect(JSON.stringify(events)).not.toContain('Jörg');
});

it('makes one request of 200 equal concurrent submissions, with its id in every answer', async () => {
  const answers = await race(200, () => submit({ external_reference: 'raced' }));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
  expect(await requestCount()).toBe(1);
  expect(await core.eventsOf(answers[0]?.body.id ?? '')).toHaveLength(1);
});

it('accepts one of 50 racing submissions with different payloads under one reference', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      submit({ external_reference: 'raced', payload: { ...PAYLOAD, customer_name: `name ${index}` } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
    new Set(['409 reference_conflict']),
  );
  expect(await requestCount()).toBe(1);
});

it('gives each of 140 concurrent submissions its own answer, wrong ones among right ones', async () => {
  const [neighbour, revoked] = [await makeFixture(), await makeFixture()];
  await revokeKey(test.database, revoked.orgId, revoked.keyId);
  const known = (await submit({ external_reference: 'known' })).body.id;
  const sent = (envelope: Record<string, unknown>, caller: Caller) =>
    core.call(api.submitExternalOrder, { caller, body: { payload: PAYLOAD, ...envelope } });
  const other = { ...PAYLOAD, customer_name: 'other' };
  const kinds = [
    () => sent({ external_reference: newId() }, core.partner()),
    () => sent({}, neighbour.partner()),
    () => sent({ external_reference: 'known' }, core.partner()),
    () => sent({ external_reference: 'known', payload: other }, core.partner()),
    () => sent({ external_reference: newId() }, core.partner(newId())),
    () => sent({ external_reference: newId() }, core.partner(neighbour.shopId)),
    () => sent({ external_reference: newId() }, revoked.partner()),
  ];
  const answers = await Promise.all(
    Array.from({ length: 140 }, async (_, place) => kinds[place % kinds.length]?.()),
  );
  const of = (kind: number) => answers.filter((_, place) => place % kinds.length === kind);
  const statuses = kinds.map((_, kind) => [...new Set(of(kind).map((answer) => answer?.status))]);
  expect(statuses).toEqual([[200], [200], [200], [409], [404], [404], [401]]);
  expect(new Set([0, 1].flatMap(of).map((answer) => answer?.body.id)).size).toBe(40);
  expect(new Set(of(2).map((answer) => answer?.body.id))).toEqual(new Set([known]));
  expect(await requestCount()).toBe(21);
  for (const answer of [0, 1].flatMap(of)) {
    const id = answer?.body.id ?? '';
    expect(await core.eventsOf(id)).toMatchObject([{ event_type: 'order_request_submitted', sequence: 1 }]);
    expect(await test.database.rows(auditOf, `order-request:${id}`)).toEqual([
      { action: 'order-request.submit', org_id: of(0).includes(answer) ? core.orgId : neighbour.orgId },
    ]);
  }
});

it('stores the documents of 60 concurrent submissions with their own requests, wrong among right ones', async () => {
  const sent = (shopId: string, document: object) =>
    submit({ external_reference: newId(), payload: { ...PAYLOAD, ...document } }, shopId);
  const pdfs = Array.from({ length: 20 }, (_, index) => makePdf(`of ${index}`));
  const url = { prescription_pdf_url: 'https://partner.example/a.pdf' };
  const [stored, waiting, refused] = await Promise.all([
    race(20, (index) => sent(core.shopId, { prescription_pdf_base64: pdfs[index]?.toString('base64') })),
    race(20, () => sent(core.shopId, url)),
    race(20, () => sent(newId(), { prescription_pdf_base64: makePdf().toString('base64') })),
  ]);
  expect([...stored, ...waiting, ...refused].map(({ status }) => status)).toEqual([
    ...Array.from({ length: 40 }, () => 200),
    ...Array.from({ length: 20 }, () => 404),
  ]);
  const expected = [
    ...stored.map(({ body }, index) => ({
      request: body.id,
      sha256: sha256Of(pdfs[index]),
      state: 'stored',
    })),
    ...waiting.map(({ body }) => ({ request: body.id, sha256: null, state: 'waiting' })),
  ];
  const documents = await test.database.rows(documentsOf, core.orgId);
  const byRequest = (a: { request: string }, b: { request: string }) => a.request.localeCompare(b.request);
  expect([...documents].sort(byRequest)).toEqual(expected.sort(byRequest));
});

it('treats payloads that differ only in the order of keys as equal', async () => {
  const first = await submit({ external_reference: 'r' });
  const turned = { items: [{ price: 9.95, quantity: 2, name: 'Blüte' }], customer_name: 'Jörg' };
  expect(await submit({ payload: turned, external_reference: 'r' })).toEqual(first);
  expect((await submit({ external_reference: 'r', payload: { ...turned, further: 1 } })).status).toBe(409);
});

it('separates equal references of two shops or sources; without reference every submission is new', async () => {
  const answers = [
    await submit({ external_reference: 'r' }),
    await submit({ external_reference: 'r' }, core.otherShopId),
    await submit({ external_reference: 'r', source: 's' }),
    await submit(),
    await submit(),
  ];
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(5);
});

it('stores neither payload nor document in plain text', async () => {
  const payload = {
    ...PAYLOAD,
    diagnosis: 'G40.3',
    prescriber: { name: 'Dr. Ada', number: '123456601' },
    e_prescription: TOKEN,
    prescription_pdf_base64: makePdf('Canary').toString('base64'),
  };
  const { body } = await submit({ payload });
  const [row] = await test.database.rows(allBytes, core.orgId);
  for (const word of ['G40.3', 'Blüte', 'Canary', '%PDF', 'Ada', TOKEN.task_id, TOKEN.access_code]) {
    expect(row?.request.includes(word)).toBe(false);
    expect(row?.document?.includes(word)).toBe(false);
    expect(row?.row).not.toContain(word);
  }
  const detail = await core.call(review.getOrderRequest, { params: { requestId: body.id } });
  const { prescription_pdf_base64: _pdf, ...sent } = payload;
  expect(detail.body.payload).toEqual({ ...sent, e_prescription: { task_id: TOKEN.task_id } });
  expect(JSON.stringify(detail.body)).not.toContain(TOKEN.access_code);
});

it('accepts shop and organization ids in the payload only when they match the caller’s shop', async () => {
  const own = { ...PAYLOAD, shop_id: core.shopId, org_id: core.orgId };
  expect((await submit({ payload: own })).status).toBe(200);
  for (const change of [{ shop_id: core.otherShopId }, { org_id: newId() }]) {
    const { status, body } = await submit({ payload: { ...own, ...change } });
    expect([status, body.details?.[0]?.field]).toEqual([400, `payload.${Object.keys(change)[0]}`]);
  }
});

it('requires a shop in the direct form and answers a shop of another organization as unknown', async () => {
  const direct = async (payload: Record<string, unknown>) =>
    core.call(api.submitOrderRequest, { body: { payload: { ...PAYLOAD, ...payload } } });
  const other = await makeFixture();
  expect((await direct({})).body.details?.[0]?.field).toBe('payload.shop_id');
  const foreign = await direct({ shop_id: other.shopId });
  expect(foreign.status).toBe(404);
  expect(await direct({ shop_id: newId() })).toEqual(foreign);
  expect(await direct({ shop_id: 'x' })).toEqual(foreign);
  expect((await direct({ shop_id: core.shopId })).status).toBe(200);
  expect(await requestCount()).toBe(1);
});

it('stores nothing for a revoked key', async () => {
  await revokeKey(test.database, core.orgId, core.keyId);
  expect((await submit()).status).toBe(401);
  expect(await requestCount()).toBe(0);
});

it('lets a partner read requests of its own shop only', async () => {
  const { id } = (await submit({ external_reference: 'r' })).body;
  const read = async (shopId: string, requestId: string) =>
    core.call(api.readExternalOrder, { caller: core.partner(shopId), params: { requestId } });
  const find = async (shopId: string, reference: string) =>
    core.call(api.findExternalOrder, {
      caller: core.partner(shopId),
      query: `external_reference=${encodeURIComponent(reference)}`,
    });
  expect((await read(core.shopId, id)).body).toMatchObject({ id, status: 'pending', order_status: null });
  expect((await find(core.shopId, 'r')).body.id).toBe(id);
  const hidden = await read(core.otherShopId, id);
  expect(hidden.status).toBe(404);
  expect(await read(core.shopId, newId())).toEqual(hidden);
  expect(await read(core.shopId, '*')).toEqual(hidden);
  expect(await find(core.otherShopId, 'r')).toEqual(hidden);
  expect(await find(core.shopId, '%')).toEqual(hidden);
});

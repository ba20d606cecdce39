import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import type { OrderRequestProgress, OrderRequestResponse } from '@offizin/contracts/requests/order-requests';
import type { AddDocumentResponse } from '@offizin/contracts/requests/added-documents';
import type { OrderListResponse } from '@offizin/contracts/orders/orders';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { race } from '@offizin/testkit/race';
import { CallbackReceiver, WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** A partner corrects its request, withdraws it, and meets the pharmacist who decides at the same time. */
let platform: TestPlatform;
let organization: TestOrganization;
let foreign: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  [organization, foreign] = await Promise.all([platform.organization(), platform.organization()]);
});
afterAll(() => platform.close());

const put = (id: string, body: object, of = organization) =>
  of.connector({ method: 'PUT', tail: `/${id}`, body });
const cancel = (id: string, body: object = { reason: 'customer_request' }, of = organization) =>
  of.connector({ tail: `/${id}/cancel`, body });
const add = (id: string, body: object, of = organization) => of.connector({ tail: `/${id}/documents`, body });
const documentOf = (pdf: Buffer, more: object = {}) => ({
  kind: 'identity',
  pdf_base64: pdf.toString('base64'),
  ...more,
});
const approve = (id: string, body: object = {}) =>
  organization.api('POST', `/order-requests/${id}/approve`, body);
const stateOf = (answer: HttpAnswer) => json<OrderRequestResponse>(answer).status;

async function readBack(id: string): Promise<OrderRequestProgress> {
  return json(await organization.connector({ method: 'GET', tail: `/${id}` }));
}

async function detail(id: string): Promise<OrderRequestDetail> {
  return json(await organization.api('GET', `/order-requests/${id}`));
}

async function ordersOf(external_id: string): Promise<number> {
  const list = await organization.api('GET', `/orders?external_id=${external_id}`);
  return json<OrderListResponse>(list).pagination.total;
}

it('a corrected request is the next version, with its own document, and only that one is approved', async () => {
  const external_reference = `sender-${uniqueTag()}`;
  const pdfs = [makePdf(uniqueTag()), Buffer.concat([makePdf(uniqueTag()), Buffer.alloc(400_000)])];
  const [first, second] = pdfs.map((pdf) =>
    orderRequest({ prescription_pdf_base64: pdf.toString('base64') }, { external_reference }),
  );
  const id = await organization.submit(first ?? {});
  for (const answer of [await put(id, second ?? {}), await put(id, second ?? {})])
    expect(json(answer)).toMatchObject({ id, status: 'pending', external_reference });
  const { version, versions } = await detail(id);
  expect([version, versions.map(({ prescription }) => prescription?.version)]).toEqual([2, [1, 2]]);
  const read = await organization.api('GET', `/order-requests/${id}/prescription.pdf`);
  expect(pdfs[1]?.equals(read.body)).toBe(true);
  expect(codeOf(await approve(id, { version: 1 }))).toBe('409 conflict');
  expect((await approve(id, { version: 2 })).status).toBe(200);
  expect(codeOf(await put(id, first ?? {}))).toBe('409 already_decided');
  const late = await cancel(id);
  expect([codeOf(late), late.body.toString()]).toEqual([
    '409 already_decided',
    expect.stringContaining('Ask the pharmacy'),
  ]);
});

it('a document handed in later is read back, read byte by byte, and erased with the request', async () => {
  const email = `${uniqueTag()}@example.org`;
  const id = await organization.submit(orderRequest({ customer_email: email }));
  const large = Buffer.concat([makePdf(uniqueTag()), Buffer.alloc(5_000_000)]);
  const [small, sent] = [makePdf(uniqueTag()), documentOf(large, { name: 'Ausweis' })];
  const answers = [await add(id, documentOf(small)), await add(id, sent), await add(id, sent)];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 200]);
  const { documents } = await readBack(id);
  expect(documents).toEqual(answers.slice(0, 2).map((answer) => json<AddDocumentResponse>(answer).document));
  const read = (number: number, of = organization) =>
    of.api('GET', `/order-requests/${id}/documents/${number}.pdf`);
  for (const [number, pdf] of [[2, small] as const, [3, large] as const])
    expect(pdf.equals((await read(number)).body)).toBe(true);
  expect(codeOf(await read(3, foreign))).toBe('404 not_found');
  expect(codeOf(await approve(id, { version: 1 }))).toBe('409 conflict');
  expect((await approve(id, { version: 3 })).status).toBe(200);
  expect(codeOf(await add(id, documentOf(makePdf(uniqueTag()))))).toBe('409 already_decided');
  await organization.api('POST', '/customers/erase', { email });
  await eventually('the erasure', async () => codeOf(await read(3)) === '404 not_found');
  expect([codeOf(await read(2)), (await readBack(id)).documents]).toEqual(['404 not_found', []]);
});

it('a withdrawn request is read back, told to callback and subscriber, and found by its state', async () => {
  const [partner, subscriber] = [await CallbackReceiver.start(), await WebhookReceiver.start()];
  try {
    await organization.callback('PUT', { url: partner.url });
    const hook = await organization.api('POST', '/webhooks', { url: subscriber.url });
    const id = await organization.submit(orderRequest());
    const message = `private ${uniqueTag()}`;
    const withdrawal = { reason: 'payment_failed', message };
    for (const answer of [await cancel(id, withdrawal), await cancel(id, withdrawal)])
      expect(stateOf(answer)).toBe('cancelled');
    const told = await partner.waitFor('order_request_cancelled', id);
    const { metadata } = JSON.parse(told.body.toString()) as { metadata: object };
    expect(metadata).toEqual({ ...(await readBack(id)), sequence: 2 });
    expect(metadata).toMatchObject({ status: 'cancelled', reason: 'payment_failed' });
    const heard = await subscriber.waitFor(({ event_type }) => event_type === 'order_request_cancelled');
    expect(heard.body.toString()).not.toContain(message);
    expect(await detail(id)).toMatchObject({ reason: 'payment_failed', note: message });
    const list = await organization.api('GET', '/order-requests?status=cancelled');
    expect(list.body.toString()).toContain(id);
    await organization.api('DELETE', `/webhooks/${json<{ id: string }>(hook).id}`);
  } finally {
    await organization.callback('DELETE');
    await Promise.all([partner.close(), subscriber.close()]);
  }
});

it('the organization replaces and withdraws what it handed in, once under an Idempotency-Key', async () => {
  const [shop] = organization.shops;
  const body = (customer_name: string) => orderRequest({ shop_id: shop.shopId, customer_name });
  const submitted = await organization.api('POST', '/order-requests', body('Erika'));
  const { id } = json<{ id: string }>(submitted);
  const path = `/order-requests/${id}`;
  expect(stateOf(await organization.api('PUT', path, body('Max')))).toBe('pending');
  const document = documentOf(makePdf());
  for (const isReplayed of [undefined, 'true']) {
    const added = await organization.api('POST', `${path}/documents`, document, { 'idempotency-key': id });
    expect([added.status, added.headers['idempotent-replayed']]).toEqual([201, isReplayed]);
  }
  const key = { 'idempotency-key': uniqueTag() };
  const send = (reason: string) => organization.api('POST', `${path}/cancel`, { reason }, key);
  const [first, again] = [await send('other'), await send('other')];
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.body.equals(first.body)).toBe(true);
  expect(codeOf(await send('sent_by_mistake'))).toBe('422 idempotency_key_reused');
  expect(codeOf(await organization.api('PUT', path, body('Mia')))).toBe('409 already_decided');
  // Not what an integration handed in, which it reads all the same.
  const ofPartner = await organization.submit(orderRequest());
  expect(codeOf(await organization.api('PUT', `/order-requests/${ofPartner}`, body('Max')))).toBe(
    '404 not_found',
  );
});

it('others get the answer of an unknown request', async () => {
  const id = await organization.submit(orderRequest());
  const unknown = '0197c4f0-0000-7000-8000-000000000000';
  const of = foreign.shops[0].shopId;
  for (const ask of [
    (of_: string) => put(of_, orderRequest(), foreign),
    (of_: string) => cancel(of_, undefined, foreign),
    (of_: string) => add(of_, documentOf(makePdf()), foreign),
    (of_: string) => foreign.api('POST', `/order-requests/${of_}/documents`, documentOf(makePdf())),
    (of_: string) => foreign.api('PUT', `/order-requests/${of_}`, orderRequest({ shop_id: of })),
    (of_: string) => foreign.api('POST', `/order-requests/${of_}/cancel`, { reason: 'other' }),
  ]) {
    const [theirs, none] = [await ask(id), await ask(unknown)];
    expect([codeOf(theirs), theirs.body.toString()]).toEqual(['404 not_found', none.body.toString()]);
  }
  expect(await detail(id)).toMatchObject({ status: 'pending', version: 1 });
});

it('of 50 approvals and withdrawals at once one kind holds, with its order or without', async () => {
  for (let round = 0; round < 3; round += 1) {
    const external_reference = `raced-${uniqueTag()}`;
    const id = await organization.submit(orderRequest({}, { external_reference }));
    const answers = await race(50, (n) => (n % 2 === 0 ? cancel(id) : approve(id)));
    const { status, order_status } = await readBack(id);
    const outcomes = answers.map((answer) => (answer.status === 200 ? stateOf(answer) : codeOf(answer)));
    expect(new Set(outcomes)).toEqual(new Set([status, '409 already_decided']));
    expect(await ordersOf(external_reference)).toBe(status === 'approved' ? 1 : 0);
    expect(order_status === null).toBe(status === 'cancelled');
  }
});

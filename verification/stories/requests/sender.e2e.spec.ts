import type { OrderRequestProgress, OrderRequestResponse } from '@offizin/contracts/requests/order-requests';
import type { AddDocumentResponse } from '@offizin/contracts/requests/added-documents';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { usePlatform, uniqueTag } from '@offizin/testkit/platform';

/** A partner corrects its request, withdraws it, and meets the pharmacist who decides at the same time. */
const platform = usePlatform();
let organization: TestOrganization;
let foreign: TestOrganization;

beforeAll(async () => {
  [organization, foreign] = await Promise.all([platform.organization(), platform.organization()]);
});
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

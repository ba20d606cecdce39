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

describe('several documents in the first call', () => {
  const sized = (bytes: number) => Buffer.concat([makePdf(uniqueTag()), Buffer.alloc(bytes)]);
  const base64 = (pdf: Buffer) => pdf.toString('base64');
  const read = (id: string, number: number) =>
    organization.api('GET', `/order-requests/${id}/documents/${number}.pdf`);

  it.each<[string, (body: object, headers?: Record<string, string>) => Promise<HttpAnswer>]>([
    ['connector', (body) => organization.connector({ body })],
    ['organization API', (body, headers) => organization.api('POST', '/order-requests', body, headers)],
  ])('are kept byte by byte, small and large, at the %s', async (_, send) => {
    const external_reference = `documents-${uniqueTag()}`;
    const [first, second, third] = [sized(0), sized(3_000_000), sized(400_000)];
    const bodyOf = (documents: object[]) => {
      const { shopId: shop_id } = organization.shops[0];
      return orderRequest(
        { shop_id, prescription_pdf_base64: base64(first), documents },
        { external_reference },
      );
    };
    const [identity, other] = [documentOf(second, { name: 'Ausweis' }), documentOf(third, { kind: 'other' })];
    const answer = await send(bodyOf([identity, other]));
    expect(answer.status).toBe(200);
    const { id } = json<{ id: string }>(answer);
    for (const [index, pdf] of [first, second, third].entries())
      expect(pdf.equals((await read(id, index + 1)).body)).toBe(true);
    // The same bytes in lines, as MIME writes them, are the same documents.
    const wrapped = base64(third).replace(/.{76}/g, '$&\r\n');
    const again = await send(bodyOf([identity, { ...other, pdf_base64: wrapped }]));
    expect([again.status, json<{ id: string }>(again).id]).toEqual([200, id]);
    expect(codeOf(await send(bodyOf([other, identity])))).toBe('409 reference_conflict');
    const detail = json<OrderRequestProgress>(await organization.api('GET', `/order-requests/${id}`));
    expect(detail.documents.map(({ number, kind, name }) => [number, kind, name])).toEqual([
      [1, 'prescription', null],
      [2, 'identity', 'Ausweis'],
      [3, 'other', null],
    ]);
  });

  it('stay where a replacement leaves them out, and are replaced by another list', async () => {
    const [one, two, three] = [sized(0), sized(300_000), sized(500_000)];
    const id = await organization.submit(orderRequest({ documents: [documentOf(one), documentOf(two)] }));
    const replace = async (payload: Record<string, unknown>) => {
      const answer = await organization.connector({
        method: 'PUT',
        tail: `/${id}`,
        body: orderRequest(payload),
      });
      return json<OrderRequestProgress>(answer).documents.map(({ number, size_bytes }) => [
        number,
        size_bytes,
      ]);
    };
    const both = [
      [2, one.length],
      [3, two.length],
    ];
    expect(await replace({ customer_name: 'Max' })).toEqual(both);
    expect(await replace({ customer_name: 'Max', documents: [documentOf(three)] })).toEqual([
      [2, three.length],
    ]);
    expect(three.equals((await read(id, 2)).body)).toBe(true);
    expect(codeOf(await read(id, 3))).toBe('404 not_found');
  });

  it('count for an Idempotency-Key by their bytes', async () => {
    const key = { 'idempotency-key': uniqueTag() };
    const { shopId: shop_id } = organization.shops[0];
    const send = (pdf: Buffer) =>
      organization.api(
        'POST',
        '/order-requests',
        orderRequest({ shop_id, documents: [documentOf(pdf)] }),
        key,
      );
    const [pdf, another] = [sized(300_000), sized(300_000)];
    const [first, again] = [await send(pdf), await send(pdf)];
    expect([first.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(codeOf(await send(another))).toBe('422 idempotency_key_reused');
  });

  it('are refused above five, 10 MiB each or 15 MiB in all, or in another shape', async () => {
    const send = (documents: unknown) => organization.connector({ body: orderRequest({ documents }) });
    const small = documentOf(sized(0));
    expect(codeOf(await send(Array.from({ length: 6 }, () => small)))).toBe('400 invalid_request');
    expect(codeOf(await send([documentOf(sized(10 * 1024 * 1024))]))).toBe('413 payload_too_large');
    const large = documentOf(sized(4_000_000));
    expect(codeOf(await send([large, large, large]))).toBe('413 payload_too_large');
    for (const wrong of [
      small,
      [],
      [{ ...small, pages: 1 }],
      [{ ...small, pdf_url: 'https://a.example/1.pdf' }],
    ])
      expect(codeOf(await send(wrong))).toBe('400 invalid_request');
  });
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

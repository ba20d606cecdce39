import { createHash } from 'node:crypto';
import * as added from '@offizin/contracts/requests/added-documents';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { orderRequest } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { requestSpec } from '../../spec/request-handlers';
import type { OrderCoreFixture } from '../../spec/spec-fixture';

/** Several documents in one payload, at both doors alike: numbers, repeats, replacements, limits. */
let core: OrderCoreFixture;
requestSpec((made) => (core = made));

const DOORS = {
  connector: {
    submit: requests.submitExternalOrder,
    replace: requests.replaceExternalOrder,
    add: added.addExternalDocument,
  },
  organization: {
    submit: requests.submitOrderRequest,
    replace: requests.replaceOrderRequest,
    add: added.addDocument,
  },
} as const;
const EACH_DOOR = Object.entries(DOORS);

let references = 0;

const base64 = (title: string) => makePdf(title).toString('base64');
const listed = (title: string, more: object = {}) => ({ kind: 'other', pdf_base64: base64(title), ...more });

/** What its sender does with one request at this door. */
function senderAt({ submit, replace, add }: (typeof DOORS)[keyof typeof DOORS]) {
  const external_reference = `payload-documents-${(references += 1)}`;
  const bodyOf = (payload: object) =>
    orderRequest({ shop_id: core.shopId, ...payload }, { external_reference });
  let params = { requestId: '' };
  const detail = async () => (await core.call(review.getOrderRequest, { params })).body;
  return {
    submit: async (payload: object) => {
      const answer = await core.call(submit, { body: bodyOf(payload) });
      params = { requestId: answer.body.id };
      return answer;
    },
    again: (payload: object) => core.call(submit, { body: bodyOf(payload) }),
    replace: (payload: object) => core.call(replace, { params, body: bodyOf(payload) }),
    add: (title: string) => core.call(add, { params, body: listed(title) }),
    ask: () => core.call(review.requestClarification, { params, body: { question: 'Which?' } }),
    detail,
    /** The version, and the number, kind and title of each document. */
    state: async () => {
      const { version, documents } = await detail();
      const titles = new Map(TITLES.map((title) => [hashOf(title), title]));
      return [
        version,
        documents.map(({ number, pdf_sha256: hash }) => `${number} ${titles.get(hash ?? '')}`),
      ];
    },
    /** For refusals: an answer with a document is not JSON. */
    pdf: (number: number) =>
      core.call(review.getOrderRequestDocument, { params: { ...params, number: String(number) } }),
    id: () => params.requestId,
  };
}

const TITLES = ['first', 'second', 'a', 'b', 'c', 'd', 'e', 'f'];

function hashOf(title: string): string {
  return createHash('sha256').update(makePdf(title)).digest('hex');
}

describe.each(EACH_DOOR)('at the door of the %s', (_, door) => {
  it('are numbered from 2 beside the PDF of the payload, and kept out of it', async () => {
    const sender = senderAt(door);
    const documents = [
      listed('a', { kind: 'identity', name: 'Ausweis' }),
      { kind: 'prescription', pdf_url: 'https://example.org/2.pdf' },
      listed('b'),
    ];
    expect((await sender.submit({ prescription_pdf_base64: base64('first'), documents })).status).toBe(200);
    const { documents: shown, prescription, payload, checks, version } = await sender.detail();
    expect(shown).toMatchObject([
      { number: 1, kind: 'prescription', name: null, state: 'stored', pdf_sha256: hashOf('first') },
      { number: 2, kind: 'identity', name: 'Ausweis', state: 'stored', pdf_sha256: hashOf('a') },
      { number: 3, kind: 'prescription', name: null, state: 'waiting', url: 'https://example.org/2.pdf' },
      { number: 4, kind: 'other', name: null, state: 'stored', pdf_sha256: hashOf('b') },
    ]);
    expect(shown.map((document) => document.version)).toEqual([1, 1, 1, 1]);
    expect([prescription, checks.pdf_sha256, version]).toEqual([shown[0], hashOf('first'), 1]);
    expect(Object.keys(payload)).not.toContain('documents');
    expect((await sender.pdf(5)).status).toBe(404);
  });

  it('are a prescription where one of them is one, and make a request without lines', async () => {
    const sender = senderAt(door);
    const identity = listed('a', { kind: 'identity' });
    const refused = await sender.again({ items: [], documents: [identity] });
    expect([refused.status, refused.body.details?.map(({ field }) => field)]).toEqual([
      400,
      ['payload.items'],
    ]);
    const prescription = listed('b', { kind: 'prescription' });
    expect((await sender.submit({ items: [], documents: [identity, prescription] })).status).toBe(200);
    const detail = await sender.detail();
    expect(detail.documents.map(({ number }) => number)).toEqual([2, 3]);
    expect(detail.prescription).toEqual(detail.documents[1]);
    expect(detail.checks.pdf_sha256).toBe(hashOf('b'));
  });

  it('repeated in another form are the same request; others are another', async () => {
    const sender = senderAt(door);
    const { body } = await sender.submit({ documents: [listed('a'), listed('b')] });
    const wrapped = base64('a').replace(/(.{76})/g, '$1\r\n');
    const repeats = [
      [listed('a', { name: null }), listed('b', { pdf_url: null })],
      [{ kind: 'other', pdf_base64: `data:application/pdf;base64,${wrapped}` }, listed('b')],
    ];
    for (const documents of repeats)
      expect(await sender.again({ documents })).toMatchObject({ status: 200, body: { id: body.id } });
    expect(await sender.state()).toEqual([1, ['2 a', '3 b']]);
    for (const documents of [[listed('a')], [listed('b'), listed('a')], null])
      expect((await sender.again({ documents })).body.error).toBe('reference_conflict');
  });

  it('stay where a replacement leaves them out; a list replaces all but number 1', async () => {
    const sender = senderAt(door);
    const first = { prescription_pdf_base64: base64('first') };
    const documents = [listed('a'), listed('b')];
    await sender.submit({ ...first, documents });
    // The same content, with what it may leave out.
    for (const same of [{}, first, { documents }, { ...first, documents }])
      expect((await sender.replace(same)).status).toBe(200);
    expect(await sender.state()).toEqual([1, ['1 first', '2 a', '3 b']]);
    await sender.add('c');
    for (const same of [{}, { documents }]) await sender.replace(same);
    expect(await sender.state()).toEqual([2, ['1 first', '2 a', '3 b', '4 c']]);
    await sender.replace({ customer_name: 'Max' });
    await sender.replace({ customer_name: 'Max', prescription_pdf_base64: base64('second') });
    expect(await sender.state()).toEqual([4, ['1 second', '2 a', '3 b', '4 c']]);
    const { body } = await sender.replace({ customer_name: 'Max', documents: [listed('d')] });
    expect(body.documents.map(({ number, pdf_sha256 }) => [number, pdf_sha256])).toEqual([
      [1, hashOf('second')],
      [2, hashOf('d')],
    ]);
    await sender.replace({ customer_name: 'Max', documents: [listed('d')] });
    expect(await sender.state()).toEqual([5, ['1 second', '2 d']]);
    expect((await sender.pdf(3)).status).toBe(404);
  });

  it('without a prescription leave none behind where a list replaces it', async () => {
    const sender = senderAt(door);
    await sender.submit({ documents: [listed('a', { kind: 'prescription' })] });
    expect((await sender.detail()).prescription).toMatchObject({ number: 2 });
    await sender.replace({ documents: [listed('b')] });
    const { prescription, checks, versions } = await sender.detail();
    expect([prescription, checks.pdf_sha256]).toEqual([null, null]);
    expect(versions.map((version) => version.prescription?.pdf_sha256 ?? null)).toEqual([hashOf('a'), null]);
    const params = { requestId: sender.id() };
    expect((await core.call(review.getPrescriptionPdf, { params })).status).toBe(404);
  });

  it('are at most five with those that stay', async () => {
    const sender = senderAt(door);
    const five = ['a', 'b', 'c', 'd', 'e'].map((title) => listed(title));
    const six = { prescription_pdf_base64: base64('first'), documents: five };
    const refused = await sender.again(six);
    expect([refused.status, refused.body.details?.map(({ field }) => field)]).toEqual([
      400,
      ['payload.documents'],
    ]);
    await sender.submit({ documents: five });
    expect((await sender.add('f')).body.error).toBe('conflict');
    expect((await sender.replace({ prescription_pdf_base64: base64('first') })).body.error).toBe('conflict');
    expect(await sender.state()).toEqual([1, ['2 a', '3 b', '4 c', '5 d', '6 e']]);
    await sender.replace({ prescription_pdf_base64: base64('first'), documents: five.slice(1) });
    expect(await sender.state()).toEqual([2, ['1 first', '2 b', '3 c', '4 d', '5 e']]);
    const sixth = await sender.replace({ documents: five });
    expect([sixth.status, sixth.body.error]).toEqual([409, 'conflict']);
    expect((await sender.state())[0]).toBe(2);
  });

  it('come with the answer to a question under the same reference', async () => {
    const sender = senderAt(door);
    await sender.submit({ documents: [listed('a')] });
    await sender.ask();
    expect((await sender.again({ documents: [listed('a')] })).body.status).toBe('needs_clarification');
    expect((await sender.again({ documents: [listed('b'), listed('c')] })).body.status).toBe('pending');
    expect(await sender.state()).toEqual([2, ['2 b', '3 c']]);
  });

  it('go with an erasure of their customer', async () => {
    const sender = senderAt(door);
    const customer_email = `payload-${(references += 1)}@example.org`;
    await sender.submit({ customer_email, documents: [listed('a'), listed('b')] });
    await core.call(eraseCustomer, { body: { email: customer_email } });
    expect((await sender.detail()).documents).toEqual([]);
    for (const number of [2, 3]) expect((await sender.pdf(number)).status).toBe(404);
    expect((await sender.replace({ documents: [listed('c')] })).body.error).toBe('conflict');
  });

  it.each<[string, unknown, string]>([
    ['a document instead of a list', listed('a'), 'payload.documents'],
    ['an empty list', [], 'payload.documents'],
    ['a kind that is none', [listed('a', { kind: 'selfie' })], 'payload.documents[0].kind'],
    [
      'bytes and a URL',
      [listed('a', { pdf_url: 'https://example.org/1.pdf' })],
      'payload.documents[0].pdf_base64',
    ],
    ['neither', [listed('a'), { kind: 'other' }], 'payload.documents[1].pdf_base64'],
    ['a field that is none', [listed('a', { title: 'x' })], 'payload.documents[0].title'],
    ['no PDF', [{ kind: 'other', pdf_base64: 'R0lGODlh' }], 'payload.documents[0].pdf_base64'],
  ])('refuse %s, and nothing is stored', async (_what, documents, field) => {
    const sender = senderAt(door);
    const { status, body } = await sender.again({ documents });
    expect([status, body.details?.map((problem) => problem.field)]).toEqual([400, [field]]);
    // The reference is still free.
    expect((await sender.submit({})).status).toBe(200);
    expect((await sender.replace({ documents })).status).toBe(400);
    expect(await sender.state()).toEqual([1, []]);
  });
});

import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import * as added from '@offizin/contracts/requests/added-documents';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/request-documents';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { orderRequest } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { race } from '@offizin/testkit/race';
import { sharedBusSpec, databaseSpec } from '../../spec/core-spec';
import { requestHandlers, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture } from '../../spec/spec-fixture';

/** The sender of a request replaces it, adds documents or withdraws it, at both doors alike. */
let core: OrderCoreFixture;
const store = databaseSpec();
const connected = sharedBusSpec();

beforeAll(async () => {
  const { database } = store;
  core = await OrderCoreFixture.make(database, requestHandlers(database, specKeys(database), connected.bus));
});

const DOORS = {
  connector: {
    submit: requests.submitExternalOrder,
    replace: requests.replaceExternalOrder,
    add: added.addExternalDocument,
    cancel: requests.cancelExternalOrder,
  },
  organization: {
    submit: requests.submitOrderRequest,
    replace: requests.replaceOrderRequest,
    add: added.addDocument,
    cancel: requests.cancelOrderRequest,
  },
} as const;
const EACH_DOOR = Object.entries(DOORS);

let references = 0;

/** A request that was handed in at this door, and what its sender does with it there. */
async function sent({ submit, replace, add, cancel }: (typeof DOORS)[keyof typeof DOORS] = DOORS.connector) {
  const envelope = { external_reference: `sent-${(references += 1)}`, source: 'telemedicine' };
  const bodyOf = (fields: object) => orderRequest({ shop_id: core.shopId, ...fields }, envelope);
  const { id } = (await core.call(submit, { body: bodyOf({}) })).body;
  const params = { requestId: id };
  return {
    id,
    params,
    envelope,
    replace: (fields: object = {}) => core.call(replace, { params, body: bodyOf(fields) }),
    /** A PDF of this title; other fields over those. */
    add: (title: string, fields: object = {}) =>
      core.call(add, { params, body: { kind: 'other', pdf_base64: base64(makePdf(title)), ...fields } }),
    pdf: (number: number) =>
      core.call(review.getOrderRequestDocument, { params: { ...params, number: String(number) } }),
    cancel: (reason = 'customer_request', more: object = {}) =>
      core.call(cancel, { params, body: { reason, ...more } }),
    approve: (version?: number) =>
      core.call(review.approveOrderRequest, { params, body: version === undefined ? {} : { version } }),
    reject: () => core.call(review.rejectOrderRequest, { params, body: { reason: 'other' } }),
    ask: () => core.call(review.requestClarification, { params, body: { question: 'Which?' } }),
    detail: async () => (await core.call(review.getOrderRequest, { params })).body,
    actions: async () =>
      (await core.actionsOn(`order-request:${id}`)).filter((action) => action !== 'order-request.read'),
    events: async () => (await core.eventsOf(id)).map(({ event_type }) => event_type),
  };
}

const base64 = (pdf: Buffer) => pdf.toString('base64');

interface Outcome {
  status: number | null;
  body: { error?: string | undefined; status?: string };
}
const said = ({ status, body }: Outcome) => `${status} ${body.error ?? body.status ?? ''}`;
/** Of calls of different operations. */
const outcomeOf = (sending: Promise<Outcome>): Promise<Outcome> => sending;

const firstApproval = statement<{ first: string | null }, [string]>(
  'spec_first_approval',
  'SELECT first_approved_by AS first FROM core.order_requests WHERE id = $1',
);
const approveFirst = statement<never, [string]>(
  'spec_approve_first',
  'UPDATE core.order_requests SET first_approved_by = id, first_approved_at = now() WHERE id = $1',
);
const counted = statement<{ orders: number }, [string]>(
  'spec_orders_of_request',
  'SELECT count(*)::int AS orders FROM core.orders WHERE order_request_id = $1',
);

describe.each(EACH_DOOR)('at the door of the %s, a replacement', (_, door) => {
  it('is the next version, once; decisions about the version before are refused', async () => {
    const request = await sent(door);
    for (const answer of [
      await request.replace({ customer_name: 'Max' }),
      await request.replace({ customer_name: 'Max' }),
    ])
      expect(answer).toMatchObject({
        status: 200,
        body: { id: request.id, status: 'pending', external_reference: request.envelope.external_reference },
      });
    const { version, versions, customer_name } = await request.detail();
    expect([version, versions.map(({ payload }) => payload['customer_name'])]).toEqual([
      2,
      ['Erika Mustermann', 'Max'],
    ]);
    expect(customer_name).toBe('Max');
    expect(await request.events()).toEqual(['order_request_submitted', 'order_request_submitted']);
    expect(said(await request.approve(1))).toBe('409 conflict');
    // The first content again is not a repeat: the sender states what it wants now.
    expect(said(await request.replace())).toBe('200 pending');
    expect((await request.detail()).version).toBe(3);
    expect(said(await request.approve(3))).toBe('200 approved');
    const [submit, replace] = ['order-request.submit', 'order-request.replace'];
    expect(await request.actions()).toEqual([submit, replace, replace, 'order-request.approve']);
  });

  it('answers an open question, and takes a first approval away', async () => {
    const request = await sent(door);
    await request.ask();
    expect(said(await request.replace())).toBe('200 needs_clarification');
    expect(said(await request.replace({ customer_name: 'Max' }))).toBe('200 pending');
    expect((await request.detail()).question).toBeNull();
    await store.database.rows(approveFirst, request.id);
    await request.replace({ customer_name: 'Mia' });
    expect(await store.database.rows(firstApproval, request.id)).toEqual([{ first: null }]);
  });

  it('keeps reference, source, shop and documents, given or not', async () => {
    const { params, envelope, detail } = await sent(door);
    const replace = (more: Record<string, unknown>, payload: object = {}) =>
      core.call(door.replace, { params, body: orderRequest({ shop_id: core.shopId, ...payload }, more) });
    const refused = await replace({ external_reference: 'another', source: 'another' });
    expect(refused.body.details?.map(({ field }) => field)).toEqual(['source', 'external_reference']);
    const elsewhere = await replace(envelope, { shop_id: core.otherShopId });
    expect(elsewhere.body.details?.map(({ field }) => field)).toEqual(['payload.shop_id']);
    expect(said(await replace({}))).toBe('200 pending');
    expect(await detail()).toMatchObject({ ...envelope, version: 1 });
    await replace({}, { prescription_pdf_base64: base64(makePdf('first')) });
    const { body } = await replace({}, { customer_name: 'Max', prescription_pdf_base64: null });
    expect(body.documents).toMatchObject([{ number: 1, kind: 'prescription', state: 'stored' }]);
    expect(await detail()).toMatchObject({ version: 3, documents: [{ number: 1, version: 2 }] });
  });

  it('stores nothing of what was read, or of the same without the PDF and metadata that stay', async () => {
    const pdf = { prescription_pdf_base64: base64(makePdf('first')) };
    const metadata = { case: '7' };
    const replace = (params: { requestId: string }, body: object) =>
      core.call(door.replace, { params, body });
    for (const more of [{ metadata }, {}]) {
      const first = orderRequest({ shop_id: core.shopId, ...pdf }, more);
      const { id: requestId } = (await core.call(door.submit, { body: first })).body;
      const read = async () => (await core.call(review.getOrderRequest, { params: { requestId } })).body;
      const { payload, source, ...before } = await read();
      for (const again of [
        { payload, source, metadata: before.metadata },
        { payload },
        { payload: first.payload },
      ])
        expect(said(await replace({ requestId }, again))).toBe('200 pending');
      expect((await read()).version).toBe(1);
      for (const other of [
        { ...payload, customer_name: 'Max' },
        { ...payload, ...pdf, customer_name: 'Mia' },
      ])
        await replace({ requestId }, { payload: other });
      await replace(
        { requestId },
        { payload: { ...payload, customer_name: 'Mia' }, metadata: { case: '8' } },
      );
      expect((await read()).version).toBe(4);
    }
  });
});

describe.each(EACH_DOOR)('at the door of the %s, one more document', (_, door) => {
  it('makes the next version, is read by its number, and stays when the payload is replaced', async () => {
    const request = await sent(door);
    await request.replace({ prescription_pdf_base64: base64(makePdf('first')) });
    await request.ask();
    const named = { kind: 'identity', name: 'Ausweis' };
    const answer = await request.add('card', named);
    const shown = { number: 2, ...named, state: 'stored', size_bytes: makePdf('card').length };
    expect(answer).toMatchObject({
      status: 201,
      body: { id: request.id, status: 'pending', document: shown },
    });
    expect(said(await request.approve(2))).toBe('409 conflict');
    await request.replace({ prescription_pdf_base64: base64(makePdf('second')) });
    const { version, documents, prescription, checks, versions } = await request.detail();
    expect([version, documents.map(({ number, version: of }) => [number, of])]).toEqual([
      4,
      [
        [1, 4],
        [2, 3],
      ],
    ]);
    expect(documents[1]).toMatchObject(answer.body.document);
    expect([prescription, checks.pdf_sha256]).toEqual([documents[0], documents[0]?.pdf_sha256]);
    expect(versions.map((one) => one.prescription?.version ?? null)).toEqual([null, 2, null, 4]);
    for (const number of [3, 0, 1.5]) expect(said(await request.pdf(number))).toBe('404 not_found');
    expect(await request.actions()).toContain('order-request.add-document');
    expect((await request.events()).filter((type) => type === 'order_request_submitted')).toHaveLength(4);
    expect(said(await request.approve(4))).toBe('200 approved');
    // The answer of one that is there has perhaps not arrived.
    expect(await request.add('card', named)).toMatchObject({ status: 200, body: { document: shown } });
    expect(said(await request.add('late'))).toBe('409 already_decided');
  });

  it('is the same document in any form; of five none is a sixth', async () => {
    const request = await sent(door);
    const url = { pdf_base64: null, pdf_url: 'https://example.org/card.pdf' };
    const forms = [
      { name: null, pdf_url: null },
      { pdf_base64: `data:;base64,${base64(makePdf('a'))}` },
      url,
      url,
    ];
    const numbers = [];
    for (const fields of forms) numbers.push((await request.add('a', fields)).body.document.number);
    expect(numbers).toEqual([2, 2, 3, 3]);
    for (const title of ['b', 'c', 'd']) expect(said(await request.add(title))).toBe('201 pending');
    expect(said(await request.add('e'))).toBe('409 conflict');
    const sixth = { prescription_pdf_base64: base64(makePdf('f')) };
    expect(said(await request.replace(sixth))).toBe('409 conflict');
    const { version, documents } = await request.detail();
    expect([version, documents.map(({ number }) => number)]).toEqual([6, [2, 3, 4, 5, 6]]);
  });

  it('needs a known kind and one PDF, and leaves nothing where it is refused', async () => {
    const request = await sent(door);
    const pdf = makePdf();
    const large = Buffer.concat([pdf, Buffer.alloc(MAX_PDF_BYTES + 1 - pdf.length)]);
    expect(said(await request.add('', { pdf_base64: base64(large) }))).toBe('413 payload_too_large');
    const wrong: [field: string, fields: object][] = [
      ['kind', { kind: 'selfie' }],
      ['pdf_base64', { pdf_base64: base64(Buffer.from('GIF89a')) }],
      ['pdf_base64', { pdf_base64: 'no Base64!' }],
      ['pdf_base64', { pdf_base64: null, pdf_url: null }],
      ['pdf_base64', { pdf_url: 'https://example.org/card.pdf' }],
      ['pdf_url', { pdf_base64: undefined, pdf_url: 'http://example.org/card.pdf' }],
      ['name', { name: '' }],
    ];
    for (const [field, fields] of wrong) {
      const { status, body } = await request.add('', fields);
      expect([status, body.details?.map((one) => one.field)]).toEqual([400, [field]]);
    }
    const foreign = { kind: 'other', pdf_base64: base64(pdf) };
    const unknown = await core.call(door.add, { params: { requestId: newId() }, body: foreign });
    expect(said(unknown)).toBe('404 not_found');
    expect(await request.detail()).toMatchObject({ version: 1, documents: [] });
  });
});

describe.each(EACH_DOOR)('at the door of the %s, a withdrawal', (_, door) => {
  it('is final, with its reason; the same again is the same', async () => {
    const request = await sent(door);
    const message = 'The customer has moved.';
    for (const given of [message, null])
      expect(await request.cancel('customer_request', { message: given })).toMatchObject({
        status: 200,
        body: { id: request.id, status: 'cancelled' },
      });
    expect(await request.detail()).toMatchObject({
      status: 'cancelled',
      reason: 'customer_request',
      note: message,
    });
    const { metadata } = (await core.eventsOf(request.id)).at(-1) ?? {};
    expect(metadata).toMatchObject({ status: 'cancelled', reason: 'customer_request', sequence: 2 });
    for (const late of [
      request.cancel('other'),
      request.replace(),
      request.approve(),
      request.reject(),
      request.ask(),
    ])
      expect(said(await late)).toBe('409 already_decided');
    expect(await request.events()).toEqual(['order_request_submitted', 'order_request_cancelled']);
    expect((await request.actions()).at(-1)).toBe('order-request.cancel');
    const staff = await core.call(review.rejectOrderRequest, {
      params: request.params,
      body: { reason: 'other' },
      caller: core.staff(),
    });
    expect(staff.body.message).toContain('already cancelled by API key ERP');
  });

  it('ends an open question, and comes too late after a decision', async () => {
    const asked = await sent(door);
    await asked.ask();
    expect(said(await asked.cancel('other'))).toBe('200 cancelled');
    const [approved, rejected] = [await sent(door), await sent(door)];
    await approved.approve();
    await rejected.reject();
    for (const late of [approved.cancel(), approved.replace({ customer_name: 'Max' })]) {
      const answer = await late;
      expect([said(answer), answer.body.message]).toEqual([
        '409 already_decided',
        expect.stringContaining('Ask the pharmacy'),
      ]);
    }
    for (const late of [rejected.cancel(), rejected.replace()])
      expect(said(await late)).toBe('409 already_decided');
  });

  it('needs a known reason, and a request that is there', async () => {
    const { id, cancel } = await sent(door);
    for (const wrong of [cancel('whim'), cancel('other', { message: 7 }), cancel('other', { note: 'x' })])
      expect(said(await wrong)).toBe('400 invalid_request');
    const unknown = (requestId: string) =>
      core.call(door.cancel, { params: { requestId }, body: { reason: 'other' } });
    for (const requestId of [newId(), `${id}x`]) expect(said(await unknown(requestId))).toBe('404 not_found');
  });
});

describe('in a race', () => {
  it('either the approval or the withdrawal holds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const request = await sent();
      const answers = await race(50, (n) => outcomeOf(n % 2 === 0 ? request.cancel() : request.approve()));
      const { status } = await request.detail();
      const outcomes = new Set(answers.map(said));
      expect(outcomes).toEqual(new Set([`200 ${status}`, '409 already_decided']));
      const [{ orders } = { orders: -1 }] = await store.database.rows(counted, request.id);
      expect([status, orders]).toEqual(orders === 1 ? ['approved', 1] : ['cancelled', 0]);
      expect(await request.events()).toHaveLength(2);
    }
  });

  it('as many documents are taken as fit', async () => {
    const request = await sent();
    await request.replace({ prescription_pdf_base64: base64(makePdf('first')) });
    const answers = await race(50, (n) => outcomeOf(request.add(`page ${n}`)));
    expect(answers.map(said).sort()).toEqual([
      ...Array<string>(4).fill('201 pending'),
      ...Array<string>(46).fill('409 conflict'),
    ]);
    const { documents, version } = await request.detail();
    expect([version, documents.map(({ number }) => number)]).toEqual([6, [1, 2, 3, 4, 5]]);
  });

  it('a document comes before the approval, which is of another version, or too late', async () => {
    for (let round = 0; round < 5; round += 1) {
      const request = await sent();
      const answers = await race(50, (n) =>
        outcomeOf(n % 2 === 0 ? request.add('card') : request.approve(1)),
      );
      const { status, version, documents } = await request.detail();
      const [added, refused] = [
        ['201 pending', '200 pending'],
        ['200 approved', '409 already_decided'],
      ];
      const [fine, late] = status === 'approved' ? [refused, '409'] : [added, '409 conflict'];
      expect([version, documents.length]).toEqual(status === 'approved' ? [1, 0] : [2, 1]);
      for (const answer of answers.map(said)) expect([...fine, late]).toContain(answer);
    }
  });

  it('six replacements are versions, and an approval is of one that was sent', async () => {
    const request = await sent();
    const answers = await race(50, (n) => request.replace({ customer_name: `Name ${n}` }));
    const refused = Array<string>(44).fill('429 rate_limited');
    expect(answers.map(said).sort()).toEqual([...Array<string>(6).fill('200 pending'), ...refused]);
    expect((await request.detail()).version).toBe(7);
    const other = await sent();
    const mixed = await race(50, (n) =>
      outcomeOf(n % 2 === 0 ? other.replace({ customer_name: `Next ${n}` }) : other.approve(1)),
    );
    const approvals = mixed.filter(({ status }, n) => n % 2 === 1 && status === 200);
    const { status, version } = await other.detail();
    expect([status, version]).toEqual(approvals.length > 0 ? ['approved', 1] : ['pending', 7]);
  });
});

import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { race } from '@offizin/testkit/race';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { BURST } from '@offizin/testkit/test-run';

/** A repeated reference is the same request: no row is stored twice, also in a race. */
interface Receipt {
  id: string;
  status: string;
}

let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

function receipt(answer: HttpAnswer): Receipt {
  expect(answer.status).toBe(200);
  return json<Receipt>(answer);
}

async function rowsOf(reference: string): Promise<number> {
  const answer = await organization.api('GET', `/order-requests?external_reference=${reference}`);
  return json<{ pagination: { total: number } }>(answer).pagination.total;
}

it('answers the same request again with the first id, also with its keys in another order', async () => {
  const external_reference = `ref-${uniqueTag()}`;
  const prescription_pdf_base64 = makePdf().toString('base64');
  const item = { name: 'Salbe', quantity: 2, price: 3.5 };
  const payload = {
    customer_name: 'Erika',
    prescription_pdf_base64,
    extra: { a: 1, b: [2, 3] },
    items: [item],
  };
  const first = receipt(await organization.connector({ body: { external_reference, source: 'x', payload } }));
  const reordered = {
    payload: {
      items: [{ price: 3.5, quantity: 2, name: 'Salbe' }],
      extra: { b: [2, 3], a: 1 },
      prescription_pdf_base64,
      customer_name: 'Erika',
    },
    source: 'x',
    external_reference,
  };
  const again = receipt(await organization.connector({ body: reordered }));
  expect(again).toEqual(first);
  expect(await rowsOf(external_reference)).toBe(1);
});

it('answers a repeat with the present status of the request', async () => {
  const body = orderRequest({}, { external_reference: `ref-${uniqueTag()}` });
  const id = await organization.submit(body);
  expect((await organization.api('POST', `/order-requests/${id}/reject`, { reason: 'other' })).status).toBe(
    200,
  );
  expect(receipt(await organization.connector({ body }))).toMatchObject({ id, status: 'rejected' });
});

it('stores a request without a reference each time anew', async () => {
  const first = await organization.submit(orderRequest());
  expect(await organization.submit(orderRequest())).not.toBe(first);
});

it.each<[string, Record<string, unknown>]>([
  ['another customer', { customer_name: 'Max' }],
  ['another quantity', { items: [{ name: 'Salbe', quantity: 3, price: 3.5 }] }],
  ['another document', { prescription_pdf_base64: makePdf('another').toString('base64') }],
  ['a further key', { note: 'x' }],
  [
    'lines in another order',
    {
      items: [
        { name: 'b', quantity: 1, price: 1 },
        { name: 'a', quantity: 1, price: 1 },
      ],
    },
  ],
])('refuses the reference with %s, and keeps the first request', async (_, change) => {
  const external_reference = `ref-${uniqueTag()}`;
  const items = change['items']
    ? [
        { name: 'a', quantity: 1, price: 1 },
        { name: 'b', quantity: 1, price: 1 },
      ]
    : undefined;
  const first = { prescription_pdf_base64: makePdf('first').toString('base64'), ...(items ? { items } : {}) };
  const id = await organization.submit(orderRequest(first, { external_reference }));
  const other = await organization.connector({
    body: orderRequest({ ...first, ...change }, { external_reference }),
  });
  expect(other.status).toBe(409);
  expect(json<ErrorBody>(other).error).toBe('reference_conflict');
  expect(await rowsOf(external_reference)).toBe(1);
  const pdf = await organization.api('GET', `/order-requests/${id}/prescription.pdf`);
  expect(pdf.body.equals(makePdf('first'))).toBe(true);
});

it('makes one request of many equal submissions at once', async () => {
  const external_reference = `race-${uniqueTag()}`;
  const body = orderRequest(
    { prescription_pdf_base64: makePdf().toString('base64') },
    { external_reference },
  );
  const answers = await race(BURST, () => organization.connector({ body }));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map((answer) => receipt(answer).id)).size).toBe(1);
  expect(await rowsOf(external_reference)).toBe(1);
});

it('lets one of many different submissions of one reference win', async () => {
  const external_reference = `race-${uniqueTag()}`;
  const bodies = Array.from({ length: 40 }, (_, n) =>
    orderRequest({ customer_name: `Kunde ${n % 4}` }, { external_reference }),
  );
  const answers = await Promise.all(bodies.map((body) => organization.connector({ body })));
  const taken = answers.filter(({ status }) => status === 200);
  expect(taken).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(30);
  expect(new Set(taken.map((answer) => receipt(answer).id)).size).toBe(1);
  expect(await rowsOf(external_reference)).toBe(1);
});

it('keeps the same reference of another shop or another source apart', async () => {
  const [one, two] = organization.shops;
  const external_reference = `ref-${uniqueTag()}`;
  const ids = [
    await organization.submit(orderRequest({}, { external_reference, source: 'a' }), one),
    await organization.submit(orderRequest({}, { external_reference, source: 'b' }), one),
    await organization.submit(orderRequest({}, { external_reference, source: 'a' }), two),
  ];
  expect(new Set(ids).size).toBe(3);
});

it('takes a source that is left out for shop:<shop_id>', async () => {
  const external_reference = `ref-${uniqueTag()}`;
  const { shopId } = organization.shops[0];
  const id = await organization.submit(orderRequest({}, { external_reference, source: undefined }));
  const named = orderRequest({}, { external_reference, source: `shop:${shopId}` });
  expect(await organization.submit(named)).toBe(id);
  const detail = json(await organization.api('GET', `/order-requests/${id}`));
  expect(detail['source']).toBe(`shop:${shopId}`);
});

describe('reading back', () => {
  it('shows the partner its request by id and by reference', async () => {
    const external_reference = `Ärzte & Söhne/${uniqueTag()}?`;
    const id = await organization.submit(orderRequest({}, { external_reference }));
    const byId = await organization.connector({ method: 'GET', tail: `/${id}` });
    expect(byId.status).toBe(200);
    expect(json(byId)).toEqual({
      id,
      status: 'pending',
      message: expect.any(String),
      external_reference,
      order_status: null,
      reason: null,
      question: null,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const tail = `?external_reference=${encodeURIComponent(external_reference)}`;
    expect(json(await organization.connector({ method: 'GET', tail }))).toEqual(json(byId));
  });

  it('shows the status of the order, and what the pharmacist says on a rejection, but not the note', async () => {
    const approved = await organization.submit(orderRequest());
    await organization.api('POST', `/order-requests/${approved}/approve`, {});
    const progress = json(await organization.connector({ method: 'GET', tail: `/${approved}` }));
    expect(progress).toMatchObject({ status: 'approved', order_status: 'awaiting_packing' });
    const rejected = await organization.submit(orderRequest());
    const decision = { reason: 'prescription_invalid', note: 'nur intern', message: 'Bitte neu ausstellen' };
    await organization.api('POST', `/order-requests/${rejected}/reject`, decision);
    const answer = await organization.connector({ method: 'GET', tail: `/${rejected}` });
    expect(json(answer)).toMatchObject({
      status: 'rejected',
      reason: 'prescription_invalid',
      message: 'Bitte neu ausstellen',
      order_status: null,
    });
    expect(answer.body.toString()).not.toContain('nur intern');
  });

  it('of another shop, another organization or nobody is the same 404', async () => {
    const foreign = await platform.organization();
    const external_reference = `ref-${uniqueTag()}`;
    const id = await organization.submit(orderRequest({}, { external_reference }));
    const other = organization.shops[1];
    const tail = `?external_reference=${external_reference}`;
    const answers = [
      await organization.connector({ method: 'GET', tail: `/${id}`, shop: other }),
      await foreign.connector({ method: 'GET', tail: `/${id}` }),
      await organization.connector({ method: 'GET', tail: `/${organization.orgId}` }),
      await organization.connector({ method: 'GET', tail: '/no-id' }),
      await organization.connector({ method: 'GET', tail, shop: other }),
      await foreign.connector({ method: 'GET', tail }),
    ];
    for (const answer of answers) expect(answer.status).toBe(404);
    expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('without a key or a reference is refused', async () => {
    expect((await organization.connector({ method: 'GET', key: null, tail: '/x' })).status).toBe(401);
    expect((await organization.connector({ method: 'GET' })).status).toBe(400);
    expect((await organization.connector({ method: 'GET', tail: '?external_reference=' })).status).toBe(400);
    expect(
      (await organization.connector({ method: 'GET', tail: '?external_reference=a&colour=1' })).status,
    ).toBe(400);
  });
});

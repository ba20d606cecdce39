import { testEnvironment } from '@offizin/testkit/environment';
import { http, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** A partner hands order requests in and reads them back; staff read and reject them. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

it('is decided by its reference in a test shop, and by nobody in a real one', async () => {
  const place = { name: 'Test', domain: `test.${organization.shops[0].domain}`, is_test: true };
  const made = await organization.api('POST', '/shops', place);
  expect(made.status).toBe(201);
  const { shop_id: shopId, domain } = json<{ shop_id: string; domain: string }>(made);
  const shop = { shopId, domain };
  await eventually('the connector to know the test shop', async () => {
    const { status } = await organization.connector({ method: 'GET', path: '/api/v1/products', shop });
    return status === 200;
  });
  const submit = (begin: string, to = shop) =>
    organization.submit(orderRequest({}, { external_reference: `${begin}${uniqueTag()}` }), to);
  const real = await submit('approve-', organization.shops[0]);
  const approved = { 'approve-': 'approved', 'correct-': 'approved' };
  const rejected = { 'reject-': 'rejected', 'reject-out_of_stock-': 'rejected' };
  const asked = { 'ask-': 'needs_clarification', 'offer-': 'needs_clarification' };
  const decided = { ...approved, ...rejected, ...asked, 'expire-': 'expired' };
  const shipped = await organization.submit(
    orderRequest({ shipping_option: 'Versand' }, { external_reference: `ship-${uniqueTag()}` }),
    shop,
  );
  for (const [begin, status] of Object.entries(decided)) {
    const id = await submit(begin);
    const read = await eventually(`${begin} to be decided`, async () => {
      const answer = json(await organization.connector({ method: 'GET', tail: `/${id}`, shop }));
      return answer['status'] === 'pending' ? null : answer;
    });
    expect(read).toMatchObject({ status, test: true });
    const answer = begin in approved ? { corrected: begin === 'correct-' } : null;
    expect(read).toMatchObject({ answer });
  }
  for (const [begin, status] of Object.entries({ 'busy-': 429, 'down-': 502 })) {
    const body = orderRequest({}, { external_reference: `${begin}${uniqueTag()}` });
    const first = await organization.connector({ body, shop });
    const { 'retry-after': wait, 'x-test-refusal': mark } = first.headers;
    expect([first.status, wait, mark]).toEqual([status, '1', 'true']);
    expect((await organization.connector({ body, shop })).status).toBe(200);
  }
  for (const app of ['connector-edge', 'order-core'] as const)
    await eventually(`the trials to be counted apart by ${app}`, async () => {
      const { body } = await http(`${testEnvironment().managementUrls[app]}/metrics`);
      return /_seconds_count\{(?=[^}]*submit-external)[^}]*status="test"/.test(body.toString());
    });
  const order = await eventually('the order to be completed', async () => {
    const answer = json(await organization.connector({ method: 'GET', tail: `/${shipped}`, shop }));
    return answer['order_status'] === 'completed' ? answer['order'] : null;
  });
  expect(order).toMatchObject({ payment_status: 'paid', shipped: true, parcels: [{ carrier: 'dhl' }] });
  const untouched = json(await organization.api('GET', `/order-requests/${real}`));
  expect([untouched['status'], 'test' in untouched]).toEqual(['pending', false]);
});

describe('a request', () => {
  it('gives its prescription back byte for byte, and never to a cache', async () => {
    const pdf = Buffer.concat([makePdf(), Buffer.alloc(3 * 1024 * 1024, '%')]);
    const id = await organization.submit(orderRequest({ prescription_pdf_base64: pdf.toString('base64') }));
    const answer = await organization.api('GET', `/order-requests/${id}/prescription.pdf`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/pdf');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body.equals(pdf)).toBe(true);
  });
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
      order: null,
      answer: null,
      reason: null,
      question: null,
      offer: null,
      documents: [],
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

  it('without a key or a reference is refused', async () => {
    expect((await organization.connector({ method: 'GET', key: null, tail: '/x' })).status).toBe(401);
    expect((await organization.connector({ method: 'GET' })).status).toBe(400);
    expect((await organization.connector({ method: 'GET', tail: '?external_reference=' })).status).toBe(400);
    expect(
      (await organization.connector({ method: 'GET', tail: '?external_reference=a&colour=1' })).status,
    ).toBe(400);
  });
});

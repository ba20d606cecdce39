import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { REJECTION_REASONS } from '@offizin/contracts/requests/order-requests';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';

/** Pharmacy staff see the order requests, read the prescriptions, and reject what cannot become an order. */
interface Summary {
  id: string;
  status: string;
  order_id: string | null;
}
interface Detail extends Summary {
  payload: object;
  prescription: object | null;
}
interface Page {
  data: Summary[];
  pagination: { limit: number; offset: number; total: number };
}

let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

describe('the list', () => {
  let listed: TestOrganization;
  const ids: string[] = [];

  beforeAll(async () => {
    listed = await platform.organization();
    for (let n = 0; n < 5; n++) {
      const envelope = { external_reference: `list-${n}`, source: n < 2 ? 'alpha' : 'beta' };
      const shop = listed.shops[n === 4 ? 1 : 0];
      ids.unshift(
        await listed.submit(
          orderRequest({ customer_name: `Kunde ${n}`, total_amount: 10.1 + n }, envelope),
          shop,
        ),
      );
    }
    await listed.api('POST', `/order-requests/${ids[0] ?? ''}/reject`, { reason: 'other' });
  });

  async function page(query: string): Promise<Page> {
    const answer = await listed.api('GET', `/order-requests${query}`);
    expect(answer.status).toBe(200);
    return json<Page>(answer);
  }

  it('shows the newest first, with an exact total', async () => {
    const { data, pagination } = await page('');
    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(pagination).toMatchObject({ limit: 50, offset: 0, total: 5 });
    expect(data[1]).toMatchObject({
      id: ids[1],
      status: 'pending',
      shop_id: listed.shops[0].shopId,
      source: 'beta',
      external_reference: 'list-3',
      customer_name: 'Kunde 3',
      total_amount: 13.1,
      order_id: null,
    });
  });

  it('is paged', async () => {
    const { data, pagination } = await page('?limit=2&offset=3');
    expect(data.map(({ id }) => id)).toEqual(ids.slice(3, 5));
    expect(pagination).toMatchObject({ limit: 2, offset: 3, total: 5 });
    expect((await page('?offset=5')).data).toEqual([]);
  });

  it('is filtered by status, shop, source and reference', async () => {
    const totals: [string, number][] = [
      ['?status=pending', 4],
      ['?status=rejected', 1],
      ['?status=approved', 0],
      [`?shop_id=${listed.shops[0].shopId}`, 4],
      [`?shop_id=${listed.shops[1].shopId}`, 1],
      ['?source=alpha', 2],
      ['?source=alph', 0],
      ['?external_reference=list-2', 1],
      ['?source=beta&status=pending', 2],
    ];
    for (const [query, total] of totals) {
      const { data, pagination } = await page(query);
      expect({ query, total: pagination.total, rows: data.length }).toEqual({ query, total, rows: total });
    }
  });

  it.each([
    '?limit=0',
    '?limit=201',
    '?limit=abc',
    '?offset=-1',
    '?status=new',
    '?colour=red',
    '?limit=1&limit=2',
  ])('refuses %s', async (query) => {
    expect(codeOf(await listed.api('GET', `/order-requests${query}`))).toBe('400 invalid_request');
  });
});

describe('a request', () => {
  it('shows the payload as it was handed in, without the document', async () => {
    const pdf = makePdf(`Rezept ${uniqueTag()}`);
    const { payload } = orderRequest({ customer_email: 'erika@example.org', further: { a: [1] } });
    const id = await organization.submit({
      payload: { ...payload, prescription_pdf_base64: pdf.toString('base64') },
    });
    const answer = await organization.api('GET', `/order-requests/${id}`);
    const detail = json<Detail>(answer);
    expect(detail).toMatchObject({ id, status: 'pending', total_amount: 7, reason: null, note: null });
    expect(detail.payload).toEqual(payload);
    expect(detail.prescription).toMatchObject({
      state: 'stored',
      pdf_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(answer.body.toString()).not.toContain(pdf.toString('base64').slice(0, 40));
  });

  it('gives its prescription back byte for byte, and never to a cache', async () => {
    const pdf = Buffer.concat([makePdf(), Buffer.alloc(3 * 1024 * 1024, '%')]);
    const id = await organization.submit(orderRequest({ prescription_pdf_base64: pdf.toString('base64') }));
    const answer = await organization.api('GET', `/order-requests/${id}/prescription.pdf`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/pdf');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body.equals(pdf)).toBe(true);
  });

  it('without a prescription has none to give', async () => {
    const id = await organization.submit(orderRequest());
    const answer = await organization.api('GET', `/order-requests/${id}/prescription.pdf`);
    expect(codeOf(answer)).toBe('404 not_found');
    expect(json<Detail>(await organization.api('GET', `/order-requests/${id}`)).prescription).toBeNull();
  });

  it('can be handed in directly, with the shop in the payload', async () => {
    const { shopId } = organization.shops[1];
    const external_reference = `direct-${uniqueTag()}`;
    const submit = (payload: object): Promise<HttpAnswer> =>
      organization.api('POST', '/order-requests', { external_reference, payload });
    const { payload } = orderRequest();
    const answer = await submit({ ...payload, shop_id: shopId });
    expect(answer.status).toBe(200);
    expect(json(answer)).toEqual({
      id: expect.any(String),
      status: 'pending',
      message: expect.any(String),
      external_reference,
    });
    expect(json(await submit({ shop_id: shopId, ...payload }))).toEqual(json(answer));
    expect(codeOf(await submit(payload))).toBe('400 invalid_request');
    expect(codeOf(await submit({ ...payload, shop_id: organization.orgId }))).toBe('404 not_found');
    expect(codeOf(await submit({ ...payload, shop_id: 'no-id' }))).toBe('404 not_found');
    const otherOrg = { ...payload, shop_id: shopId, org_id: shopId };
    expect(codeOf(await submit(otherOrg))).toBe('400 invalid_request');
  });
});

describe('a rejection', () => {
  async function reject(id: string, body: object): Promise<HttpAnswer> {
    return organization.api('POST', `/order-requests/${id}/reject`, body);
  }

  it.each(REJECTION_REASONS.map((reason) => [reason]))('takes the reason %s', async (reason) => {
    const id = await organization.submit(orderRequest());
    const answer = await reject(id, { reason, note: 'intern', message: 'Bitte melden' });
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({ id, status: 'rejected', reason, note: 'intern', order_id: null });
  });

  it.each<[string, object]>([
    ['no reason', {}],
    ['an unknown reason', { reason: 'mood' }],
    ['an unknown field', { reason: 'other', text: 'x' }],
    ['a note that is too long', { reason: 'other', note: 'x'.repeat(10_001) }],
    ['a message that is no text', { reason: 'other', message: 1 }],
  ])('with %s is a 400 and leaves the request pending', async (_, body) => {
    const id = await organization.submit(orderRequest());
    expect(codeOf(await reject(id, body))).toBe('400 invalid_request');
    const detail = json<Detail>(await organization.api('GET', `/order-requests/${id}`));
    expect(detail.status).toBe('pending');
  });

  it('is answered with the first result when it is repeated, and is final', async () => {
    const id = await organization.submit(orderRequest());
    const first = await reject(id, { reason: 'other', note: 'first' });
    const again = await reject(id, { reason: 'other', note: 'second' });
    expect({ status: again.status, body: json(again) }).toEqual({ status: 200, body: json(first) });
    const different = await reject(id, { reason: 'price_mismatch' });
    expect(codeOf(different)).toBe('409 already_decided');
    const approval = await organization.api('POST', `/order-requests/${id}/approve`, {});
    expect(codeOf(approval)).toBe('409 already_decided');
    expect(json<ErrorBody>(approval).message).toContain('rejected');
  });

  it('after an approval is refused, and the message names the approval', async () => {
    const id = await organization.submit(orderRequest());
    expect((await organization.api('POST', `/order-requests/${id}/approve`, {})).status).toBe(200);
    const answer = await reject(id, { reason: 'other' });
    expect(codeOf(answer)).toBe('409 already_decided');
    expect(json<ErrorBody>(answer).message).toContain('approved');
  });

  it('racing an approval leaves one decision', async () => {
    const id = await organization.submit(orderRequest());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2
          ? reject(id, { reason: 'other' })
          : organization.api('POST', `/order-requests/${id}/approve`, {}),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(10).fill(200), ...Array<number>(10).fill(409)]);
    const { status, order_id } = json<Detail>(await organization.api('GET', `/order-requests/${id}`));
    expect(order_id === null).toBe(status === 'rejected');
  });
});

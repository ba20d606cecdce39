import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** A pharmacist approves an order request: it becomes one order, and the stock is taken, whole or not at all. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

const product = (pieces: number): Promise<string> => platform.stockedProduct(organization, pieces);

async function approve(id: string, body: object = {}): Promise<HttpAnswer> {
  return organization.api('POST', `/order-requests/${id}/approve`, body);
}

async function approved(
  id: string,
  body: object = {},
): Promise<{ order_id: string; order: Record<string, unknown> }> {
  const answer = await approve(id, body);
  expect(answer.status).toBe(200);
  return json(answer);
}

async function requestOf(id: string): Promise<Record<string, unknown>> {
  return json(await organization.api('GET', `/order-requests/${id}`));
}

describe('the order', () => {
  it('is not made by corrections without lines', async () => {
    const id = await organization.submit(orderRequest());
    const answer = await approve(id, { items: [] });
    expect(codeOf(answer)).toBe('400 invalid_request');
    expect(json<ErrorBody>(answer).details?.map(({ field }) => field)).toEqual(['items']);
    expect(await requestOf(id)).toMatchObject({ status: 'pending', order_id: null });
  });
});

it('is refused when the shop already has an order of that external id: nothing is decided, no stock is reserved', async () => {
  const external_id = `taken-${uniqueTag()}`;
  const p1Id = await product(1);
  const items = [{ p1_id: p1Id, quantity: 1, price: 1 }];
  await organization.createOrder({ external_id });
  const id = await organization.submit(orderRequest({ items }, { external_reference: external_id }));
  expect(codeOf(await approve(id))).toBe('409 conflict');
  expect(await requestOf(id)).toMatchObject({ status: 'pending', order_id: null });
  // The only piece is available to others immediately, not after the hold's minute.
  expect(await organization.stockOf(p1Id)).toEqual([1, 0]);
  await approved(await organization.submit(orderRequest({ items })));
  expect((await organization.api('POST', `/order-requests/${id}/reject`, { reason: 'other' })).status).toBe(
    200,
  );
});

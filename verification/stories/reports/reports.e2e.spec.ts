import type { ReportServiceResponse, ReportStatsResponse } from '@offizin/contracts/reports/reports';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { usePlatform } from '@offizin/testkit/platform';

/** Reports over the organization API: figures of what just happened. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
  const items = [{ p1_id: 'P1', name: 'Salbe', qty: 2, price: 4.5 }];
  await organization.createOrder({ customer_name: 'Erika', customer_email: 'erika@example.test', items });
  const [, second] = organization.shops;
  const { id } = await organization.createOrder({ shop_id: second.shopId, items });
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  await organization.submit(orderRequest({ prescription_pdf_base64: makePdf().toString('base64') }));
  await organization.submit(orderRequest());
  // Another organization's orders never count.
  await (await platform.organization()).createOrder({ items });
});

it('count what came in during the last thirty days', async () => {
  const { period, data } = json<ReportStatsResponse>(await organization.api('GET', '/reports/stats'));
  expect(Date.parse(period.to) - Date.parse(period.from)).toBe(29 * 86_400_000);
  expect(data).toMatchObject({
    prescriptions: { total: 1, order_requests: 1, ingested: 0 },
    orders: { total: 1, cancelled: 1, revenue: 9, average_order_value: 9 },
    customers: { total: 1, repeat: 0 },
  });
});

it('know the service fee of the organization', async () => {
  const { data } = json<ReportServiceResponse>(await organization.api('GET', '/reports/service'));
  expect(data.at(-1)).toMatchObject({ org_id: organization.orgId, orders: 1, revenue: 9 });
  // What the test stack asks: 49.90 a month, 0.15 an order and 1.5 per cent.
  expect(data.map(({ fee }) => fee)).toEqual([50.19]);
});

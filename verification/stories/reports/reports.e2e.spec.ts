import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type {
  ReportProductSalesResponse,
  ReportServiceResponse,
  ReportStatsResponse,
} from '@offizin/contracts/reports/reports';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization, tokenWith } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform } from '@offizin/testkit/platform';

/** Reports over the organization API: figures of what just happened, as JSON and as CSV. */
const NAMES = ['stats', 'top-customers', 'product-performance', 'product-sales', 'service'];
const CSV = { accept: 'text/csv' };

let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  const items = [{ p1_id: 'P1', name: '=Salbe', qty: 2, price: 4.5 }];
  await organization.createOrder({ customer_name: 'Erika', customer_email: 'erika@example.test', items });
  const [, second] = organization.shops;
  const { id } = await organization.createOrder({ shop_id: second.shopId, items });
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  await organization.submit(orderRequest({ prescription_pdf_base64: makePdf().toString('base64') }));
  await organization.submit(orderRequest());
  // Another organization's orders never count.
  await (await platform.organization()).createOrder({ items });
});
afterAll(() => platform.close());

it('count what came in during the last thirty days', async () => {
  const { period, data } = json<ReportStatsResponse>(await organization.api('GET', '/reports/stats'));
  expect(Date.parse(period.to) - Date.parse(period.from)).toBe(29 * 86_400_000);
  expect(data).toMatchObject({
    prescriptions: { total: 1, order_requests: 1, ingested: 0 },
    orders: { total: 1, cancelled: 1, revenue: 9, average_order_value: 9 },
    customers: { total: 1, repeat: 0 },
  });
});

it('break sales down by status, and by shop', async () => {
  const path = '/reports/product-sales';
  const { data } = json<ReportProductSalesResponse>(await organization.api('GET', path));
  expect(data).toEqual([
    {
      p1_id: 'P1',
      name: '=Salbe',
      orders: 1,
      quantity: 2,
      revenue: 9,
      statuses: [
        { status: 'pending', orders: 1, quantity: 2, revenue: 9 },
        { status: 'cancelled', orders: 1, quantity: 2, revenue: 9 },
      ],
    },
  ]);
  const ofShop = await organization.api('GET', `${path}?shop_id=${organization.shops[1].shopId}`);
  expect(json(ofShop)).toMatchObject({ data: [{ orders: 0, statuses: [{ status: 'cancelled' }] }] });
});

it('know the service fee of the organization', async () => {
  const { data } = json<ReportServiceResponse>(await organization.api('GET', '/reports/service'));
  expect(data.at(-1)).toMatchObject({ org_id: organization.orgId, orders: 1, revenue: 9 });
  // What the test stack asks: 49.90 a month, 0.15 an order and 1.5 per cent.
  expect(data.map(({ fee }) => fee)).toEqual([50.19]);
});

it.each(NAMES)('%s is also a CSV file', async (name) => {
  const answer = await organization.api('GET', `/reports/${name}`, undefined, CSV);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': expect.stringMatching(/^text\/csv/),
    'content-disposition': expect.stringMatching(
      new RegExp(`^attachment; filename="${name}_\\d{4}-\\d\\d-\\d\\d_\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
    ),
    vary: 'Accept',
  });
  expect(answer.body.toString()).toMatch(/^[\w,"]+\r\n([^\r\n]+\r\n)+$/);
});

it('are CSV for German Excel, too', async () => {
  const accept = 'text/csv; header=present; dialect=excel-de';
  const answer = await organization.api('GET', '/reports/product-performance', undefined, { accept });
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present; dialect=excel-de');
  expect(answer.body.toString()).toContain('\r\n"P1";"\'=Salbe";1;2;9,00;4,50;100,00\r\n');
});

it('neutralise formulas in CSV only', async () => {
  const path = '/reports/product-performance';
  const csv = await organization.api('GET', path, undefined, CSV);
  expect(csv.body.toString()).toContain('\r\n"P1","\'=Salbe",1,2,9.00,4.50,100.00\r\n');
  const answer = await organization.api('GET', path, undefined, { accept: 'text/html, */*;q=0.1' });
  expect(json(answer)).toMatchObject({ data: [{ name: '=Salbe' }] });
});

it.each(NAMES)('%s refuses what it cannot answer', async (name) => {
  const refusals: [query: string, accept: string, status: number, code: string][] = [
    ['', 'application/xml', 406, 'not_acceptable'],
    ['?from=2026-02-30', '*/*', 400, 'invalid_request'],
    ['?from=2026-03-02&to=2026-03-01', 'text/csv', 400, 'invalid_request'],
    ['?from=2025-01-01&to=2026-01-02', '*/*', 400, 'invalid_request'],
    [`?shop_id=${organization.orgId}`, '*/*', 404, 'not_found'],
  ];
  for (const [query, accept, status, code] of refusals) {
    const answer = await organization.api('GET', `/reports/${name}${query}`, undefined, { accept });
    expect({ query, status: answer.status }).toEqual({ query, status });
    expect(answer.headers['content-type']).toContain('application/json');
    expect(json<ErrorBody>(answer).error).toBe(code);
  }
});

it.each(NAMES)('%s needs the scope reports.read', async (name) => {
  const authorization = `Bearer ${await tokenWith(organization, ['orders.read'])}`;
  const answer = await organization.api('GET', `/reports/${name}`, undefined, { authorization });
  expect(answer.status).toBe(403);
});

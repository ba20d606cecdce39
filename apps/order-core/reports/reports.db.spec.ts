import { newId } from '@offizin/pg/ids';
import type { CallHeader, Operation } from '@offizin/contracts/calls/operation';
import * as api from '@offizin/contracts/reports/reports';
import { statement } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { serveInSpec } from '@offizin/operations/serve-in-spec';
import type { OperationHandler } from '@offizin/operations/serve-operation';
import { OrderCoreFixture } from '../spec/spec-fixture';
import { insertShop } from '../people/directory/organizations.store';
import { ReportsHandlers } from './reports.handlers';
import { ServiceFee } from './reports.store';
import { coreSpec } from '../spec/core-spec';
import { addOrder, type OrderFields } from '../spec/reports-fixture';

let core: OrderCoreFixture;
let handlers: ReadonlyMap<Operation, OperationHandler>;
const test = coreSpec((made) => (core = made));

beforeAll(() => {
  const fee = { serviceFeeBaseEur: '49.90', serviceFeePerOrderEur: '0.125', serviceFeePerCent: '1.5' };
  handlers = new Map(handlersIn(new ReportsHandlers(test.database, new ServiceFee(fee))));
});
beforeEach(() => test.database.rows(foundedAt, core.orgId, '2026-01-10T12:00:00Z'));

const foundedAt = statement<never, [string, string]>(
  'spec_founded_at',
  'UPDATE core.organizations SET created_at = $2 WHERE id = $1',
);
const order = (fields: OrderFields, of = core): Promise<void> => addOrder(test.database, of, fields);

async function serve(
  op: Operation,
  query: string,
  headers: Partial<Record<CallHeader, string>> = {},
): Promise<{ status: number; headers: Record<string, string>; text: string }> {
  const handler = handlers.get(op);
  if (!handler) throw new Error(`no handler of ${op.name}`);
  const received = { caller: core.key(), params: {}, queryString: query, headers, body: undefined };
  const { body, ...answer } = await serveInSpec(op, handler, received);
  return { ...answer, text: Buffer.from(body).toString() };
}

async function read<T>(op: Operation<string, object, object, T>, query: string): Promise<T> {
  const { status, text } = await serve(op, query);
  expect({ status, text }).toMatchObject({ status: 200 });
  return JSON.parse(text) as T;
}

const MARCH = 'from=2026-03-01&to=2026-03-31';
const item = (p1_id: string | null, name: string, quantity: number, price: number): object => ({
  p1_id,
  name,
  quantity,
  price,
});

async function aMonth(): Promise<void> {
  const anna = { name: 'Anna', email: 'Anna@example.test' };
  const salve = [item('P1', 'Salbe', 2, 0.1), item('P2', 'Tropfen', 1, 0.2)];
  await order({ at: '2026-03-02T10:00:00Z', total: '0.40', ...anna, items: salve, status: 'shipped' });
  const more = [item('P1', 'Salbe', 1, 0.1), item('P1', 'Salbe', 3, 0.1), item(null, 'Tee', 2, 3.33)];
  await order({
    at: '2026-03-05T10:00:00Z',
    total: '7.06',
    ...anna,
    email: 'anna@EXAMPLE.test',
    items: more,
  });
  const bert = { name: 'Bert', email: null, shopId: core.otherShopId };
  await order({ at: '2026-03-07T10:00:00Z', total: '100.10', payment: 'refunded', ...bert });
  await order({ at: '2026-03-08T10:00:00Z', total: '0.20' });
  const cancelled = { status: 'cancelled', items: [item('P2', 'Tropfen', 50, 9.99)] };
  await order({ at: '2026-03-09T10:00:00Z', total: '499.50', ...anna, ...cancelled });
  // Orders of a test shop, another organization or another month do not count.
  const shop = { id: newId(), name: 'Test', domain: `test.${core.shopId}.example`, isTest: true };
  await insertShop(test.database, core.orgId, shop);
  await order({ at: '2026-03-09T10:00:00Z', total: '1000.00', ...anna, items: salve, shopId: shop.id });
  const stranger = await OrderCoreFixture.make(test.database);
  await order({ at: '2026-03-09T10:00:00Z', total: '1000.00', ...anna, items: salve }, stranger);
  await order({ at: '2026-04-09T10:00:00Z', total: '1000.00', ...anna, items: salve });
}

describe('stats', () => {
  it('sum orders and customers of the organization, without cancelled orders', async () => {
    await aMonth();
    const { period, data } = await read(api.reportStats, MARCH);
    expect(period).toEqual({ from: '2026-03-01', to: '2026-03-31' });
    const { by_status: byStatus, ...figures } = data.orders;
    expect(figures).toEqual({
      total: 4,
      cancelled: 1,
      revenue: 107.76,
      average_order_value: 26.94,
      refunded_amount: 100.1,
    });
    expect(byStatus.map(({ status }) => status)).toHaveLength(8);
    expect(byStatus.filter(({ orders }) => orders > 0)).toEqual([
      { status: 'pending', orders: 3, amount: 107.36 },
      { status: 'shipped', orders: 1, amount: 0.4 },
      { status: 'cancelled', orders: 1, amount: 499.5 },
    ]);
    expect(data.customers).toEqual({ total: 2, repeat: 1, orders_without_customer: 1 });
  });

  it('are zero, with a null average, without data', async () => {
    const { data } = await read(api.reportStats, MARCH);
    const { by_status: byStatus, ...figures } = data.orders;
    expect(figures).toEqual({
      total: 0,
      cancelled: 0,
      revenue: 0,
      average_order_value: null,
      refunded_amount: 0,
    });
    expect(byStatus.every(({ orders, amount }) => orders === 0 && amount === 0)).toBe(true);
    expect(data.customers).toEqual({ total: 0, repeat: 0, orders_without_customer: 0 });
    expect(data.prescriptions).toEqual({ total: 0, order_requests: 0, ingested: 0 });
  });
});

it.each([
  ['a winter day', '2026-01-15', '2026-01-14T23:00:00Z', '2026-01-15T23:00:00Z'],
  ['a summer day', '2026-07-15', '2026-07-14T22:00:00Z', '2026-07-15T22:00:00Z'],
  ['the day of 23 hours', '2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['the day of 25 hours', '2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['the last day of a year', '2026-12-31', '2026-12-30T23:00:00Z', '2026-12-31T23:00:00Z'],
])('%s is that of Germany: %s from %s until %s', async (_, day, begin, end) => {
  const justBefore = (instant: string): string => new Date(Date.parse(instant) - 1).toISOString();
  await order({ at: justBefore(begin), total: '1.00' });
  await order({ at: begin, total: '2.00' });
  await order({ at: justBefore(end), total: '4.00' });
  await order({ at: end, total: '8.00' });
  const { data } = await read(api.reportStats, `from=${day}&to=${day}`);
  expect(data.orders.revenue).toBe(6);
});

describe('top customers', () => {
  it('have the highest revenue, and merge e-mail addresses that differ in case', async () => {
    await aMonth();
    const { data } = await read(api.reportTopCustomers, MARCH);
    expect(data).toEqual([
      {
        customer_name: 'Bert',
        customer_email: null,
        orders: 1,
        revenue: 100.1,
        average_order_value: 100.1,
        last_order_at: '2026-03-07T10:00:00.000Z',
      },
      {
        customer_name: 'Anna',
        customer_email: 'anna@example.test',
        orders: 2,
        revenue: 7.46,
        average_order_value: 3.73,
        last_order_at: '2026-03-05T10:00:00.000Z',
      },
    ]);
    expect((await read(api.reportTopCustomers, `${MARCH}&limit=1`)).data).toEqual(data.slice(0, 1));
  });

  it('are one for an e-mail address in capitals with Umlauts, also in the counts', async () => {
    for (const email of ['JÖRG@BÜCHER.example', 'jo\u0308rg@bücher.example', 'jorg@bücher.example'])
      await order({ at: '2026-03-02T10:00:00Z', email });
    const { data } = await read(api.reportTopCustomers, MARCH);
    expect(data.map(({ customer_email, orders }) => [customer_email, orders])).toEqual([
      ['jörg@bücher.example', 2],
      ['jorg@bücher.example', 1],
    ]);
    expect((await read(api.reportStats, MARCH)).data.customers).toMatchObject({ total: 2, repeat: 1 });
  });

  it('without e-mail address are distinguished by name, ignoring the case of Umlauts', async () => {
    for (const name of ['Öl GmbH', 'öl gmbh', 'Ol GmbH', ' '])
      await order({ at: '2026-03-02T10:00:00Z', name });
    const { data } = await read(api.reportTopCustomers, MARCH);
    expect(data.map(({ orders }) => orders)).toEqual([2, 1]);
  });
});

it('product performance sums lines, counts an order once per product, and splits the revenue', async () => {
  await aMonth();
  const { data } = await read(api.reportProductPerformance, MARCH);
  expect(data).toEqual([
    {
      p1_id: null,
      name: 'Tee',
      orders: 1,
      quantity: 2,
      revenue: 6.66,
      average_price: 3.33,
      revenue_share: 89.28,
    },
    {
      p1_id: 'P1',
      name: 'Salbe',
      orders: 2,
      quantity: 6,
      revenue: 0.6,
      average_price: 0.1,
      revenue_share: 8.04,
    },
    {
      p1_id: 'P2',
      name: 'Tropfen',
      orders: 1,
      quantity: 1,
      revenue: 0.2,
      average_price: 0.2,
      revenue_share: 2.68,
    },
  ]);
  const { data: first } = await read(api.reportProductPerformance, `${MARCH}&limit=1`);
  expect(first).toEqual(data.slice(0, 1));
});

it('product sales split each product by status and do not count cancelled pieces as sold', async () => {
  await aMonth();
  const { data } = await read(api.reportProductSales, MARCH);
  expect(data).toEqual([
    {
      p1_id: 'P1',
      name: 'Salbe',
      orders: 2,
      quantity: 6,
      revenue: 0.6,
      statuses: [
        { status: 'pending', orders: 1, quantity: 4, revenue: 0.4 },
        { status: 'shipped', orders: 1, quantity: 2, revenue: 0.2 },
      ],
    },
    {
      p1_id: null,
      name: 'Tee',
      orders: 1,
      quantity: 2,
      revenue: 6.66,
      statuses: [{ status: 'pending', orders: 1, quantity: 2, revenue: 6.66 }],
    },
    {
      p1_id: 'P2',
      name: 'Tropfen',
      orders: 1,
      quantity: 1,
      revenue: 0.2,
      statuses: [
        { status: 'shipped', orders: 1, quantity: 1, revenue: 0.2 },
        { status: 'cancelled', orders: 1, quantity: 50, revenue: 499.5 },
      ],
    },
  ]);
});

describe('the service fee', () => {
  it('is base, per order and per cent, by whole German month, also in months without orders', async () => {
    await order({ at: '2026-02-28T22:59:59Z', total: '0.10' });
    await order({ at: '2026-02-28T23:00:00Z', total: '100.01' });
    await order({ at: '2026-03-31T21:59:59Z', total: '200.02' });
    await order({ at: '2026-03-31T22:00:00Z', total: '1000.00', status: 'cancelled' });
    // The organization was created in January: December is not charged.
    const { period, data } = await read(api.reportService, 'from=2025-12-31&to=2026-04-01');
    expect(period).toEqual({ from: '2025-12-01', to: '2026-04-30' });
    expect(data).toEqual([
      { org_id: core.orgId, month: '2026-01', orders: 0, revenue: 0, fee: 49.9 },
      // 49.90 + 0.125 + 0.0015 = 50.0265
      { org_id: core.orgId, month: '2026-02', orders: 1, revenue: 0.1, fee: 50.03 },
      // 49.90 + 0.25 + 4.50045 = 54.65045
      { org_id: core.orgId, month: '2026-03', orders: 2, revenue: 300.03, fee: 54.65 },
      { org_id: core.orgId, month: '2026-04', orders: 0, revenue: 0, fee: 49.9 },
    ]);
  });

  it('is rounded half a cent up, which a float would get wrong', async () => {
    // 49.90 + 0.125 = 50.025
    await order({ at: '2026-03-10T10:00:00Z', total: '0.00' });
    expect((await read(api.reportService, MARCH)).data).toMatchObject([{ fee: 50.03 }]);
  });

  it('of one shop excludes the base, which the organization pays', async () => {
    await order({ at: '2026-03-10T10:00:00Z', total: '100.00' });
    const { data } = await read(api.reportService, `${MARCH}&shop_id=${core.shopId}`);
    expect(data).toMatchObject([{ orders: 1, revenue: 100, fee: 1.63 }]);
  });

  it('is not charged for future months', async () => {
    expect((await read(api.reportService, 'from=2126-01-01&to=2126-03-01')).data).toEqual([]);
  });
});

describe('as CSV', () => {
  const csv = { accept: 'text/csv' } as const;

  it('has a file name, and amounts have two decimals', async () => {
    await aMonth();
    const { status, headers, text } = await serve(api.reportProductPerformance, MARCH, csv);
    expect({ status, headers }).toEqual({
      status: 200,
      headers: {
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': 'attachment; filename="product-performance_2026-03-01_2026-03-31.csv"',
        vary: 'Accept',
      },
    });
    expect(text.split('\r\n')).toEqual([
      '"p1_id","name","orders","quantity","revenue","average_price","revenue_share"',
      ',"Tee",1,2,6.66,3.33,89.28',
      '"P1","Salbe",2,6,0.60,0.10,8.04',
      '"P2","Tropfen",1,1,0.20,0.20,2.68',
      '',
    ]);
  });

  it('escapes names that would run as formulas', async () => {
    await order({ at: '2026-03-02T10:00:00Z', name: '=1+1', email: '+a@example.test' });
    const { text } = await serve(api.reportTopCustomers, MARCH, csv);
    expect(text).toContain('\r\n"\'=1+1","\'+a@example.test",1,10.00,');
  });

  it('has columns for every status in product sales', async () => {
    await aMonth();
    const [head = '', ...rows] = (await serve(api.reportProductSales, MARCH, csv)).text.trim().split('\r\n');
    expect(head.split(',')).toHaveLength(5 + 8 * 3);
    const drops = rows.find((row) => row.startsWith('"P2"'))?.split(',') ?? [];
    const cell = (name: string): string | undefined => drops[head.split(',').indexOf(`"${name}"`)];
    expect([cell('quantity'), cell('cancelled_quantity'), cell('cancelled_revenue')]).toEqual([
      '1',
      '50',
      '499.50',
    ]);
    expect([cell('pending_orders'), cell('pending_revenue')]).toEqual(['0', '0.00']);
  });

  it('has one number per row in stats', async () => {
    await order({ at: '2026-03-02T10:00:00Z', total: '10.50' });
    const rows = (await serve(api.reportStats, MARCH, csv)).text.split('\r\n');
    expect(rows).toEqual(
      expect.arrayContaining([
        '"section","figure","value"',
        '"orders","total",1',
        '"orders","revenue",10.50',
      ]),
    );
    expect(rows).toEqual(
      expect.arrayContaining(['"orders.pending","amount",10.50', '"customers","total",0']),
    );
  });

  it('has one row per month in the service fee', async () => {
    const { text } = await serve(api.reportService, MARCH, csv);
    expect(text).toBe(
      `"org_id","month","orders","revenue","fee"\r\n"${core.orgId}","2026-03",0,0.00,49.90\r\n`,
    );
  });
});

it('refuses the shop of another organization and a limit out of range', async () => {
  const stranger = await OrderCoreFixture.make(test.database);
  const reports = [...handlers.keys()].filter(({ consoleOnly }) => !consoleOnly);
  expect(reports).toHaveLength(5);
  for (const op of reports)
    expect(await serve(op, `${MARCH}&shop_id=${stranger.shopId}`)).toMatchObject({ status: 404 });
  for (const limit of ['0', '201', '1.5']) {
    expect(await serve(api.reportTopCustomers, `limit=${limit}`)).toMatchObject({ status: 400 });
  }
});

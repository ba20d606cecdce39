import { scopesOfRole } from '@offizin/contracts/people/roles';
import type { OrderColumn, ViewQuery, ViewScreen } from '@offizin/contracts/console/views';
import { normalized, problemsOf, screensOf } from './view-rules';

const SHOP = '01890000-0000-7000-8000-000000000000';

const fieldsOf = (screen: ViewScreen, query: ViewQuery, columns: OrderColumn[] = []) =>
  problemsOf(screen, { name: 'x', query, columns }).map(({ field }) => field);

it.each<[ViewScreen, ViewQuery]>([
  ['requests', { tab: 'asked', flag: 'express', source: 'tele-arzt.de', shop: SHOP, sort: 'expiring' }],
  ['orders', { status: 'shipped', payment: 'paid', shop: SHOP, sort: 'oldest' }],
  ['stock', { low: 'true' }],
  ['products', { shop: SHOP, attached: 'false' }],
  ['prescriptions', { shop: SHOP, period: '2026-11' }],
  ['deliveries', { status: 'failed', kind: 'order_created', endpoint: SHOP, period: 'day' }],
  ['audit', { who: `staff:${SHOP}`, what: 'order-request.first-approve', period: '30' }],
  ['audit', { who: `key:${SHOP}` }],
  ['requests', { source: `shop:${SHOP}`, assigned: 'nobody' }],
])('a view of %s may hold %j', (screen, query) => {
  expect(fieldsOf(screen, query)).toEqual([]);
});

it.each<[ViewScreen, ViewQuery]>([
  ['orders', { status: 'lost' }],
  ['orders', { shop: 'Anna Muster' }],
  ['orders', { tab: 'open' }],
  ['requests', { source: 'anna@example.org' }],
  ['requests', { source: 'Anna Muster' }],
  ['requests', { source: 'shop:anna' }],
  ['requests', { assigned: 'anna' }],
  ['stock', { low: 'false' }],
  ['products', { status: 'shipped' }],
  ['prescriptions', { period: '2026-13' }],
  ['prescriptions', { period: '90' }],
  ['audit', { period: '1999-01' }],
  ['audit', { who: 'staff:mustermann' }],
  ['audit', { who: 'platform:anna' }],
  ['deliveries', { endpoint: 'x' }],
  ['audit', { who: 'staff:anna@example.org' }],
  ['audit', { what: 'anna' }],
])('a view of %s may not hold %j', (screen, query) => {
  expect(fieldsOf(screen, query)).toEqual([`query.${Object.keys(query)[0]}`]);
});

it('has columns only for orders, and number among them', () => {
  expect(fieldsOf('orders', {}, ['number', 'age'])).toEqual([]);
  expect(fieldsOf('orders', {}, ['age'])).toEqual(['columns']);
  expect(fieldsOf('stock', {}, ['number'])).toEqual(['columns']);
});

it('stores the name without outer spaces, and each column once in the order of the table', () => {
  const columns: OrderColumn[] = ['age', 'number', 'age'];
  const query = { status: 'shipped', sort: undefined } as ViewQuery;
  expect(normalized({ name: ' Heute ', query, columns })).toEqual({
    name: 'Heute',
    query: { status: 'shipped' },
    columns: ['number', 'age'],
  });
});

it('knows the screens of each role', () => {
  expect(screensOf(scopesOfRole('clerk'))).toEqual(['orders', 'stock', 'products']);
  expect(screensOf(scopesOfRole('pharmacist'))).toHaveLength(5);
  expect(screensOf(scopesOfRole('owner'))).toHaveLength(7);
});

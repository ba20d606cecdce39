import { checkTable } from '../tables/table-file';
import { OrderRow, ordersIn, problemOfRow } from './orders-in-file';

const RULES = { dto: OrderRow, keyColumn: 'external_id', problemOf: problemOfRow } as const;

function read(...lines: string[]): ReturnType<typeof ordersIn> {
  return ordersIn(checkTable('orders.csv', `${lines.join('\n')}\n`, RULES), 'S');
}

it('gathers the rows of an order, wherever they are, in the order of their numbers', () => {
  const { orders, refused } = read(
    'external_id,line,product_name,quantity,unit_price,total_amount',
    'A,2,Kaffee,1,2.5,',
    'B,1,Tee,3,1,9',
    'A,1,Tee,2,1,',
  );
  expect(refused).toEqual([]);
  expect(orders.map(({ line, rows, body }) => [line, rows, body.external_id])).toEqual([
    [2, 2, 'A'],
    [3, 1, 'B'],
  ]);
  expect(orders[0]?.body.items).toEqual([
    { name: 'Tee', qty: 2, price: 1 },
    { name: 'Kaffee', qty: 1, price: 2.5 },
  ]);
});

it('takes the text before the apostrophe that keeps a spreadsheet from running it, and no other apostrophe', () => {
  const { orders } = read('external_id,customer_name,address_city', "'=A,'-5,'s Hertogenbosch");
  expect(orders[0]?.body).toMatchObject({
    external_id: '=A',
    customer_name: '-5',
    address_city: "'s Hertogenbosch",
  });
});

it('leaves lines and total alone where the file has no columns for lines, and where their cells are empty', () => {
  expect(read('external_id,customer_name', 'A,Anna').orders[0]?.body.items).toBeUndefined();
  const columns = 'external_id,address_city,total_amount,total_is_given,quantity,unit_price';
  const [moved] = read(columns, 'A,Berlin,9,false,,').orders;
  expect(moved?.body).toEqual({ external_id: 'A', shop_id: 'S', address_city: 'Berlin' });
});

it('cuts a time to milliseconds, as the service does', () => {
  const { orders } = read('external_id,order_datetime', 'A,2026-01-31T12:00:00.123456Z');
  expect(orders[0]?.body.order_datetime).toBe('2026-01-31T12:00:00.123Z');
});

it('lets a total that is the sum of the lines follow them', () => {
  const total = (given: string) =>
    read('external_id,total_amount,quantity,unit_price', `A,${given},3,0.1`).orders[0]?.body.total_amount;
  expect([total('0.30'), total('0.31'), total('')]).toEqual([null, 0.31, undefined]);
  const given = 'external_id,total_amount,quantity,unit_price,total_is_given';
  expect(read(given, 'A,0.30,3,0.1,WAHR').orders[0]?.body).toMatchObject({ total_amount: 0.3 });
  expect(read(given, 'A,0.30,3,0.1,false').orders[0]?.body).toMatchObject({ total_amount: null });
});

it.each([
  ['two orders under one id', ['A,1,1,1,Anna', 'A,2,1,1,Bert'], /customer_name is not that of line 2/],
  ['a number twice', ['A,1,1,1,', 'A,1,2,1,'], /one is missing or occurs twice/],
  ['numbers in some rows only', ['A,1,1,1,', 'A,,2,1,'], /one is missing or occurs twice/],
  ['a row without a line beside one with it', ['A,,,,', 'A,1,1,1,'], /one of the two rows has no line/],
  ['a line without a price', ['A,1,1,,'], /a line needs quantity and unit_price/],
  ['too many lines', Array.from({ length: 501 }, () => 'A,,1,1,'), /the order has 501 lines/],
])('refuses %s', (_, rows, reason) => {
  const { orders, refused } = read('external_id,line,quantity,unit_price,customer_name', ...rows);
  expect(orders).toEqual([]);
  expect(refused).toEqual([{ line: expect.any(Number), key: 'A', reason: expect.stringMatching(reason) }]);
});

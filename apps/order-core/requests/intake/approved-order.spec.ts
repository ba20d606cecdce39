import { Refused } from '@offizin/contracts/calls/errors';
import type { OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { approvedOrder } from './approved-order';

const ITEMS = [
  { name: 'A', p1_id: 'p1', quantity: 2, price: 10.05 },
  { name: 'B', quantity: 1, price: 0.9 },
];

function payload(change: Partial<OrderRequestPayload> = {}): OrderRequestPayload {
  return { customer_name: 'Name', items: ITEMS, ...change };
}

it('takes the partner’s fields and converts its lines to order lines', () => {
  const { fields } = approvedOrder(
    payload({
      customer_email: 'a@b.example',
      address_street: 's',
      address_city: 'c',
      address_postal_code: 'p',
      address_phone: 't',
      shipping_option: 'Versand',
      payment_reference: 'r',
    }),
    {},
  );
  expect(fields).toMatchObject({
    customer_name: 'Name',
    customer_email: 'a@b.example',
    address_street: 's',
    address_city: 'c',
    address_postal_code: 'p',
    address_phone: 't',
    shipping_option: 'Versand',
    payment_reference: 'r',
    items: [
      { p1_id: 'p1', name: 'A', quantity: 2, price: 10.05 },
      { p1_id: null, name: 'B', quantity: 1, price: 0.9 },
    ],
    total_amount: 21,
    total_is_given: false,
  });
});

it.each([
  [{}, 'cash_on_pickup', true, 'awaiting_packing'],
  [{ cash_on_pickup: true }, 'cash_on_pickup', true, 'awaiting_packing'],
  [{ cash_on_pickup: false }, 'pending', false, 'awaiting_payment'],
  [{ payment_status: 'paid' }, 'paid', true, 'awaiting_packing'],
  [{ payment_status: 'paid', cash_on_pickup: false }, 'paid', false, 'awaiting_packing'],
  [{ payment_status: 'pending' }, 'pending', true, 'awaiting_payment'],
  [{ shipping_option: 'Abholung' }, 'cash_on_pickup', true, 'awaiting_packing'],
  [{ shipping_option: 'Versand' }, 'pending', false, 'awaiting_payment'],
  [{ shipping_option: 'Express', cash_on_pickup: null }, 'pending', false, 'awaiting_payment'],
  [{ shipping_option: 'Uber Eats', payment_status: 'paid' }, 'paid', false, 'awaiting_packing'],
  [{ shipping_option: 'Versand', cash_on_pickup: true }, 'cash_on_pickup', true, 'awaiting_packing'],
  [
    { shipping_option: 'Versand', payment_status: 'cash_on_pickup' },
    'cash_on_pickup',
    true,
    'awaiting_packing',
  ],
  [{ payment_status: 'pending', cash_on_pickup: false }, 'pending', false, 'awaiting_payment'],
] as const)(
  'with %j has payment %s, at pick-up %s, status %s',
  (given, paymentStatus, cashOnPickup, status) => {
    const order = approvedOrder(payload(given), {});
    expect(order).toMatchObject({
      status,
      fields: { payment_status: paymentStatus, cash_on_pickup: cashOnPickup },
    });
  },
);

it('lets a correction by staff replace only the corrected fields of the partner', () => {
  const { fields } = approvedOrder(payload({ customer_email: 'a@b.example', shipping_option: 'Versand' }), {
    customer_name: 'Corrected',
    shipping_option: 'Abholung',
  });
  expect(fields).toMatchObject({
    customer_name: 'Corrected',
    customer_email: 'a@b.example',
    shipping_option: 'Abholung',
    cash_on_pickup: true,
    total_amount: 21,
  });
  const sent = approvedOrder(payload(), { shipping_option: 'Versand' });
  expect(sent.status).toBe('awaiting_payment');
});

describe('the total', () => {
  const corrected = [{ qty: 1, price: 3, p1_id: 'p2' }];

  it.each([
    ['the sum of the lines', {}, {}, 21, false],
    ['what the partner gave', { total_amount: 30 }, {}, 30, true],
    ['what the staff gave', { total_amount: 30 }, { total_amount: 29 }, 29, true],
    ['the sum of corrected lines', { total_amount: 30 }, { items: corrected }, 3, false],
    [
      'the total that staff gave for corrected lines',
      { total_amount: 30 },
      { items: corrected, total_amount: 5 },
      5,
      true,
    ],
  ])('is %s', (_, given, corrections, total, isGiven) => {
    const { fields } = approvedOrder(payload(given), corrections);
    expect(fields).toMatchObject({ total_amount: total, total_is_given: isGiven });
  });

  it('must not exceed the largest amount', () => {
    const items = [{ name: 'x', quantity: 1_000_000, price: 1_000 }];
    expect(() => approvedOrder(payload({ items }), {})).toThrow(Refused);
  });
});

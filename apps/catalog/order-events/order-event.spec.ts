import { orderEvent } from '../spec/spec-fixture';
import { readOrderMove } from './order-event';

const order_id = '0190a000-0000-7000-8000-000000000001';
const order_request_id = '0190a000-0000-7000-8000-000000000002';

it('confirms what was reserved for a request that became an order', () => {
  const event = orderEvent('order_created', 1, { order_id, order_request_id });
  expect(readOrderMove(event)).toEqual({
    move: 'confirm',
    orderId: order_id,
    orderRequestId: order_request_id,
  });
});

it.each([
  ['cancelled', 'release'],
  ['shipped', 'sell'],
  ['picked_up', 'sell'],
  ['completed', 'sell'],
])('takes an order that is %s as %s, also without its request', (new_status, move) => {
  const event = orderEvent('order_status_updated', 2, { order_id, new_status });
  expect(readOrderMove(event)).toEqual({ move, orderId: order_id, orderRequestId: null });
  const named = orderEvent('order_status_updated', 2, { order_id, order_request_id, new_status });
  expect(readOrderMove(named)).toMatchObject({ move, orderRequestId: order_request_id });
});

it('confirms the claim of an order that is reopened, and of no other status', () => {
  const stock_claim_id = '0190a000-0000-7000-8000-000000000003';
  const moved = (old_status: string, new_status: string) =>
    readOrderMove(
      orderEvent('order_status_updated', 2, { order_id, stock_claim_id, old_status, new_status }),
    );
  expect(moved('shipped', 'pending')).toEqual({
    move: 'confirm',
    orderId: order_id,
    orderRequestId: stock_claim_id,
  });
  expect(moved('cancelled', 'shipped')).toMatchObject({ move: 'sell', orderRequestId: stock_claim_id });
  expect(moved('pending', 'awaiting_packing')).toBeNull();
});

it.each([
  [{ order_id, new_status: 'ready_pickup' }],
  [{ order_id, new_status: 'toString' }],
  [{ order_id: 'nothing', new_status: 'cancelled' }],
  [{ new_status: 'cancelled' }],
  [{}],
])('is not concerned by a status event with %j', (metadata) => {
  expect(readOrderMove(orderEvent('order_status_updated', 2, metadata))).toBeNull();
});

it('ignores orders of integrators and malformed events', () => {
  expect(readOrderMove(orderEvent('order_created', 1, { order_id, order_request_id: null }))).toBeNull();
  expect(readOrderMove({ eventType: 'order_created', body: 'not JSON' })).toBeNull();
  expect(
    readOrderMove({ eventType: 'order_updated', body: JSON.stringify({ metadata: { order_id } }) }),
  ).toBeNull();
});

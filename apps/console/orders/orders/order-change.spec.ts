import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { bodyOf, changedBy, differences, isDone, isPossible, onVersion, type OrderAct } from './order-change';

const order: PipelineOrder = {
  id: 'o',
  external_id: 'e',
  shop_id: 's',
  customer_name: 'Anna',
  customer_email: null,
  total_amount: 9.5,
  total_is_given: false,
  status: 'awaiting_packing',
  next_statuses: ['shipped', 'cancelled'],
  payment_status: 'pending',
  shipped: false,
  picked_up: false,
  cash_on_pickup: false,
  payment_reference: null,
  order_number: 'B-1',
  order_datetime: null,
  shipping_option: 'Versand',
  order_request_id: null,
  version: 2,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  status_since: '2026-01-01T00:00:00.000Z',
  shipping_address: { street: 'Am Markt 1', city: 'Ulm', postal_code: '89073', phone: null },
  items: [{ p1_id: null, name: 'Bediol', quantity: 2, price: 4.75 }],
  metadata: {},
  history: [],
  erased_at: null,
  stock: 'none',
  parcels: [],
  lots: [],
  notes: [],
};
const ship = { kind: 'status', to: 'shipped', seen: order } as const;
const pay = { kind: 'paid', seen: order } as const;

it('reopens by force, and only to where the workflow does not lead', () => {
  const back = { kind: 'reopen', to: 'pending', reason: 'Came back', seen: order } as const;
  expect(bodyOf(back)).toEqual({ status: 'pending', force: true, reason: 'Came back' });
  expect(bodyOf({ ...back, reason: '' })).toEqual({ status: 'pending', force: true });
  expect([isPossible(back, order), isPossible({ ...back, to: 'shipped' }, order)]).toEqual([true, false]);
});

it('sends only what changes', () => {
  expect([bodyOf(ship), bodyOf(pay)]).toEqual([{ status: 'shipped' }, { payment_status: 'paid' }]);
});

it('knows what is done already, and what is not possible any more', () => {
  const shipped: PipelineOrder = { ...order, status: 'shipped', next_statuses: ['completed'] };
  const cancelled: PipelineOrder = { ...order, status: 'cancelled', next_statuses: [] };
  expect([order, shipped, cancelled].map((present) => isDone(ship, present))).toEqual([false, true, false]);
  expect([order, cancelled].map((present) => isPossible(ship, present))).toEqual([true, false]);
  const paid: PipelineOrder = { ...order, payment_status: 'paid' };
  expect([isDone(pay, paid), isPossible(pay, paid), isPossible(pay, order)]).toEqual([true, false, true]);
});

it('shows what differs, also in the address and the lines, and nothing that only counts', () => {
  const present: PipelineOrder = {
    ...order,
    version: 3,
    updated_at: '2026-01-02T00:00:00.000Z',
    payment_status: 'paid',
    customer_name: null,
    shipping_address: { ...order.shipping_address, city: 'Bonn' },
    items: [{ p1_id: 'p1', name: null, quantity: 3, price: 1 }],
    parcels: [
      { id: 'p', carrier: 'gls', tracking_number: '5034', url: 'https://gls.example', created_at: '' },
    ],
    lots: [
      { line: 1, p1_id: 'p1', name: null, lot: 'CH1', expires_on: null, test_number: null, quantity: 3 },
    ],
  };
  expect(differences(order, present).sort((a, b) => a.field.localeCompare(b.field))).toEqual([
    { field: 'address_city', from: 'Ulm', to: 'Bonn' },
    { field: 'customer_name', from: 'Anna', to: '' },
    { field: 'items', from: '2 × Bediol', to: '3 × p1' },
    { field: 'lots', from: '', to: '3 × CH1' },
    { field: 'parcels', from: '', to: 'gls 5034' },
    { field: 'payment_status', from: 'pending', to: 'paid' },
  ]);
});

it('names who changed it since, each once', () => {
  const at = '2026-01-02T00:00:00.000Z';
  const entry = (sequence: number, who: string) => ({ sequence, who, at, action: 'updated', changes: [] });
  const history = [entry(5, 'ERP'), entry(4, 'Bea'), entry(3, 'ERP'), entry(2, 'Carl')];
  expect(changedBy(order, { ...order, history })).toEqual(['ERP', 'Bea']);
});

it('packs on any version that is still to be packed, and takes no other change for its own', () => {
  const shipped = { kind: 'packed', to: 'shipped', seen: order } as const;
  const marked = { kind: 'packed', to: 'awaiting_packing', seen: order } as const;
  expect([bodyOf(shipped), bodyOf(marked)]).toEqual([{ status: 'shipped' }, { status: 'awaiting_packing' }]);
  expect([isPossible(shipped, order), isPossible(marked, order)]).toEqual([true, true]);
  expect([isDone(shipped, { ...order, status: 'shipped' }), isDone(marked, order)]).toEqual([true, false]);
});

it('makes the change again on a newer version, whose lots no undo takes back', () => {
  const newer: PipelineOrder = { ...order, version: 9 };
  const packed: OrderAct = { kind: 'packed', to: 'shipped', seen: order, lotsBefore: [] };
  expect(onVersion(packed, newer)).toEqual({ kind: 'packed', to: 'shipped', seen: newer });
  expect(onVersion(pay, newer)).toEqual({ kind: 'paid', seen: newer });
});

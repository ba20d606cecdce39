import type { ReviewDetail } from '@offizin/contracts/review';
import { bodyOf, withEdits } from './edits';
import { editsOfFirst } from './first-approval';

const LINE = { p1_id: 'p', name: 'Salbe', quantity: 2, price: 5 };
const SENT = {
  status: 'pending',
  payload: { customer_name: 'Anna' },
  customer_name: 'Anna',
  total_amount: 10,
};

function waiting(approved: Record<string, unknown> | null, lines: object[] | null = null): ReviewDetail {
  const corrections = approved && { sent: {}, approved };
  return { ...SENT, lines: [LINE], first_approval: { corrections, lines } } as never;
}

it('has the second person approve what the first has changed, and nothing else', () => {
  const detail = waiting({ customer_name: 'Erika', address_city: null, items: [] }, [
    { ...LINE, quantity: 1 },
  ]);
  const edits = editsOfFirst(detail) ?? {};
  expect(withEdits(detail, edits)).toMatchObject({ customer_name: 'Erika', lines: [{ quantity: 1 }] });
  expect(bodyOf(edits, withEdits(detail, edits))).toEqual({
    customer_name: 'Erika',
    address_city: null,
    items: [{ p1_id: 'p', name: 'Salbe', qty: 1, price: 5 }],
    total_amount: 10,
  });
});

it('has no changes without corrections, without a first approval, and after the second', () => {
  expect(editsOfFirst(waiting(null))).toBeNull();
  expect(editsOfFirst({ ...waiting(null), first_approval: null })).toBeNull();
  expect(editsOfFirst({ ...waiting({ customer_name: 'Erika' }), status: 'approved' })).toBeNull();
});

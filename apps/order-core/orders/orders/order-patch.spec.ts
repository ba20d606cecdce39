import { Refused } from '@offizin/contracts/calls/errors';
import { MAX_MONEY } from '@offizin/contracts/calls/money';
import { ORDER_STATUSES, type OrderStatus } from '@offizin/contracts/orders/orders';
import { sumOfLines } from './order-patch';
import { DEFAULT_WORKFLOW, impliedFlags, mayMove, nextStatuses, refusedMove } from './order-status';

const line = (quantity: number, price: number) => ({ p1_id: null, name: 'x', quantity, price });

describe('sumOfLines', () => {
  it.each([
    [[], 0],
    [[line(3, 0.1)], 0.3],
    [[line(1, 0.1), line(1, 0.2)], 0.3],
    [[line(7, 19.99), line(1, 0.01)], 139.94],
    [[line(3, 1.1)], 3.3],
    [[line(1_000_000, 0.07)], 70_000],
    [[line(1, 1.005 - 0.005), line(1, 0.30000000000000004)], 1.3],
    [[line(1, MAX_MONEY)], MAX_MONEY],
    [Array.from({ length: 500 }, () => line(9, 0.29)), 1_305],
  ])('adds in cents: %j is %d', (lines, total) => {
    expect(sumOfLines(lines)).toBe(total);
  });

  it.each([[[line(1, MAX_MONEY), line(1, 0.01)]], [[line(1_000_000, 100)]], [[line(1_000_000, MAX_MONEY)]]])(
    'refuses a sum that no amount may be: %j',
    (lines) => {
      expect(() => sumOfLines(lines)).toThrow(Refused);
      expect(() => sumOfLines(lines)).toThrow('items: the sum of quantity × price is more than');
    },
  );
});

/** From the row to the column, in the order of the contract's table: `=` the same, `y` allowed, `.` refused. */
const MOVES: Record<OrderStatus, string> = {
  pending: '= y y y y y y y',
  awaiting_payment: '. = y y y y y y',
  awaiting_packing: '. . = y y y y y',
  ready_pickup: '. . . = y y y y',
  shipped: '. . . . = y y y',
  picked_up: '. . . . . = y y',
  completed: '. . . . . . = y',
  cancelled: '. . . . . . . =',
};

const ALL_MOVES = ORDER_STATUSES.flatMap((from) =>
  MOVES[from].split(' ').flatMap((mark, column) => {
    const to = ORDER_STATUSES[column];
    return to ? [{ from, to, mark }] : [];
  }),
);

it('decides all 64 moves', () => {
  expect(ALL_MOVES).toHaveLength(64);
  for (const { from, to, mark } of ALL_MOVES) {
    expect([from, to, mayMove(DEFAULT_WORKFLOW, from, to)]).toEqual([from, to, mark !== '.']);
  }
});

it('lists as next exactly the statuses that a move would change to', () => {
  for (const from of ORDER_STATUSES) {
    const expected = ALL_MOVES.filter((move) => move.from === from && move.mark === 'y').map(({ to }) => to);
    expect(nextStatuses(DEFAULT_WORKFLOW, from)).toEqual(expected);
  }
});

it('names the allowed statuses in a refusal', () => {
  expect(refusedMove(DEFAULT_WORKFLOW, 'picked_up', 'pending')).toBe(
    'An order that is picked_up cannot become pending. Allowed are: completed, cancelled.',
  );
  expect(refusedMove(DEFAULT_WORKFLOW, 'cancelled', 'pending')).toBe(
    'An order that is cancelled cannot become pending. It is final.',
  );
});

it('implies a flag by the status of its name only', () => {
  for (const status of ORDER_STATUSES) {
    const expected = status === 'shipped' || status === 'picked_up' ? { [status]: true } : {};
    expect(impliedFlags(status)).toEqual(expected);
  }
  expect(impliedFlags(undefined)).toEqual({});
  expect(impliedFlags('pending', true)).toEqual({ shipped: false, picked_up: false });
  expect(impliedFlags('completed', true)).toEqual({});
});

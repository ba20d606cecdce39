import { ORDER_STATUSES, type OrderStatus } from '@offizin/contracts/orders';
import { DEFAULT_WORKFLOW, impliedFlags, mayMove, nextStatuses, refusedMove } from './order-status';

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
});

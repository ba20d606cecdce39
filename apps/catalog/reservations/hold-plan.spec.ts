import {
  canonicalLines,
  decideHold,
  holdsStock,
  type Move,
  MOVES,
  nextState,
  planHold,
  RESERVATION_STATES,
  type StoredReservation,
  sumLines,
} from './hold-plan';

function orders(moves: readonly Move[]): Move[][] {
  if (moves.length === 0) return [[]];
  return moves.flatMap((first, at) =>
    orders([...moves.slice(0, at), ...moves.slice(at + 1)]).map((rest) => [first, ...rest]),
  );
}

const endOf = (moves: Move[]) => moves.reduce(nextState, RESERVATION_STATES[0]);

it.each([
  [['confirm'], 'confirmed'],
  [['confirm', 'confirm'], 'confirmed'],
  [['release', 'confirm', 'confirm'], 'released'],
  [['sell', 'confirm', 'sell', 'sell'], 'sold'],
] as [Move[], string][])('ends every order of %j as %s', (moves, end) => {
  expect(new Set(orders(moves).map(endOf))).toEqual(new Set([end]));
});

it('lets the first of sale and release win', () => {
  for (const moves of orders(['confirm', 'sell', 'release'])) {
    const first = moves.find((move) => move !== 'confirm');
    expect(endOf(moves)).toBe(first === 'sell' ? 'sold' : 'released');
  }
});

it('never gives stock back that it has let go', () => {
  for (const state of RESERVATION_STATES) {
    for (const move of MOVES) {
      if (!holdsStock(state)) expect(nextState(state, move)).toBe(state);
    }
  }
});

const line = (p1_id: string, quantity: number) => ({ p1_id, quantity });
const item = (p1_id: string, stock_quantity: number, reserved_quantity = 0) => ({
  p1_id,
  stock_quantity,
  reserved_quantity,
});

describe('deciding on a hold', () => {
  const stored: StoredReservation = { attempt: 2, state: 'held', order_id: null, asked_lines: 'A' };
  it.each([
    [stored, 2, 'A', 'renew'],
    [stored, 2, 'B', 'hold'],
    [stored, 3, 'A', 'hold'],
    [stored, 1, 'A', 'outdated'],
    [{ ...stored, state: 'released' }, 2, 'A', 'hold'],
    [{ ...stored, state: 'released' }, 1, 'A', 'outdated'],
    [{ ...stored, state: 'confirmed' }, 1, 'B', 'settled'],
    [{ ...stored, state: 'sold' }, 3, 'A', 'settled'],
    // Cancelled before the approval's answer came through: the approval has committed all the same.
    [{ ...stored, state: 'released', order_id: 'order' }, 2, 'A', 'settled'],
  ] as [StoredReservation, number, string, string][])(
    'of %j asked for by attempt %d with lines %s says %s',
    (reservation, attempt, lines, decision) => {
      expect(decideHold(reservation, attempt, lines)).toBe(decision);
    },
  );
});

it('sums lines per product in the order of ids', () => {
  expect(sumLines([line('b', 1), line('a', 2), line('b', 3)])).toEqual([line('a', 2), line('b', 4)]);
  expect(canonicalLines([line('b', 1), line('b', 3), line('a', 2)])).toBe('[["a",2],["b",4]]');
});

describe('planning a hold', () => {
  it('holds all lines of the inventory and ignores the others', () => {
    const plan = planHold([item('a', 5, 2), item('b', 1)], [], [line('a', 3), line('b', 1), line('x', 99)]);
    expect(plan.short).toEqual([]);
    expect(plan.lines).toEqual([line('a', 3), line('b', 1)]);
    expect([...plan.deltas]).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
  });

  it('holds nothing when one line is short, and names all that are', () => {
    const plan = planHold(
      [item('a', 5), item('b', 1), item('c', 0)],
      [],
      [line('a', 1), line('b', 2), line('c', 1)],
    );
    expect(plan).toEqual({ short: ['b', 'c'], lines: [], deltas: new Map() });
  });

  it('gives back what the earlier attempt held, before it counts what is free', () => {
    const stock = [item('a', 5, 5), item('b', 1, 1)];
    const plan = planHold(stock, [line('a', 4), line('b', 1)], [line('a', 3)]);
    expect(plan.lines).toEqual([line('a', 3)]);
    expect(plan.deltas).toEqual(
      new Map([
        ['a', -1],
        ['b', -1],
      ]),
    );
    const short = planHold(stock, [line('a', 4), line('b', 1)], [line('a', 5)]);
    expect(short).toEqual({
      short: ['a'],
      lines: [],
      deltas: new Map([
        ['a', -4],
        ['b', -1],
      ]),
    });
  });
});

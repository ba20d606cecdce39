import { holdsStock, MOVES, type Move, nextState, RESERVATION_STATES } from './reservation-moves';

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

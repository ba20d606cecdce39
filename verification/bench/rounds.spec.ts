import { median, medianRatio, untilSteady } from './rounds';

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[100, 9, 20], 20],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('of nothing is not a figure', () => {
    expect(() => median([])).toThrow('no figures');
  });
});

it('takes the ratio of each round first, so that a slow round disturbs both of its halves', () => {
  const rounds = [
    { product: 80, raw: 100 },
    { product: 8, raw: 10 },
    { product: 90, raw: 100 },
  ];
  expect(medianRatio(rounds)).toBe(0.8);
});

describe('untilSteady', () => {
  const LONG = { warmUpLimitMs: 60_000 };

  /** A piece that has one of the rates after the other, and stays at the last. */
  function pieces(...rates: number[]): { piece: () => Promise<number>; ran: () => number } {
    let count = 0;
    const piece = async (): Promise<number> =>
      Promise.resolve(rates[Math.min(count++, rates.length - 1)] ?? 0);
    return { piece, ran: () => count };
  }

  it('goes on while it becomes faster, and for two pieces more', async () => {
    const { piece, ran } = pieces(100, 150, 200, 300);
    await untilSteady(piece, LONG);
    expect(ran()).toBe(6);
  });

  it('one slow piece does not end it', async () => {
    const { piece, ran } = pieces(100, 150, 90, 200, 300);
    await untilSteady(piece, LONG);
    expect(ran()).toBe(7);
  });

  it('takes three pieces when each is as quick as the first', async () => {
    const { piece, ran } = pieces(100);
    await untilSteady(piece, LONG);
    expect(ran()).toBe(3);
  });

  it('without time it is one piece', async () => {
    const { piece, ran } = pieces(100, 200, 300);
    await untilSteady(piece, { warmUpLimitMs: 0 });
    expect(ran()).toBe(1);
  });
});

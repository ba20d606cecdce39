import { median, medianRatio } from './median';

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[100, 9, 20], 20],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('of nothing is no figure', () => {
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

import { NOTHING_SELECTED, rangeOf, toggled, withoutIds, withRows } from './selection';

const rows = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
const idsOf = (range: readonly { id: string }[]) => range.map(({ id }) => id).join('');

it('is a set of ids: selecting a row again takes it out', () => {
  const [a, b] = [rows[0], rows[1]];
  if (!a || !b) throw new Error('no rows');
  const both = toggled(toggled(NOTHING_SELECTED, a), b);
  expect([...both.keys()]).toEqual(['a', 'b']);
  expect([...toggled(both, a).keys()]).toEqual(['b']);
  expect(NOTHING_SELECTED.size).toBe(0);
});

it('selects a range in either direction, and one row when the first is gone', () => {
  expect([rangeOf(rows, 'a', 'c'), rangeOf(rows, 'd', 'b'), rangeOf(rows, 'x', 'b')].map(idsOf)).toEqual([
    ...['abc', 'bcd', 'b'],
  ]);
  expect(rangeOf([], 'a', 'b')).toEqual([]);
});

it('keeps what a filter hides, and loses what was done', () => {
  const all = withRows(withRows(NOTHING_SELECTED, rows.slice(0, 2)), rows.slice(1));
  expect([...all.keys()].join('')).toBe('abcd');
  expect([...withoutIds(all, ['b', 'x']).keys()].join('')).toBe('acd');
});

import { parseAddress, readAddress, writeAddress } from './address';
import { fewAtATime } from './bulk';
import { csvTypeFor, fileName } from './saved-file';
import { NOTHING_SELECTED, rangeOf, toggled, withoutIds, withRows } from './selection';

describe('a selection', () => {
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
      'abc',
      'bcd',
      'b',
    ]);
    expect(rangeOf([], 'a', 'b')).toEqual([]);
  });

  it('keeps what a filter hides, and loses what was done', () => {
    const all = withRows(withRows(NOTHING_SELECTED, rows.slice(0, 2)), rows.slice(1));
    expect([...all.keys()].join('')).toBe('abcd');
    expect([...withoutIds(all, ['b', 'x']).keys()].join('')).toBe('acd');
  });
});

describe('an act on many rows', () => {
  it('never works on more than a few concurrently, and leaves none out', async () => {
    const done: number[] = [];
    let [running, most] = [0, 0];
    const items = Array.from({ length: 11 }, (_, index) => index);
    await fewAtATime(items, 4, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      done.push(item);
    });
    expect(most).toBe(4);
    expect(done.sort((a, b) => a - b)).toEqual(items);
  });

  it('ends immediately without items', async () => {
    await fewAtATime([], 4, () => Promise.reject(new Error('there is nothing to do')));
  });
});

describe('a list as a file', () => {
  it('opens in the spreadsheets of the person', () => {
    expect(csvTypeFor('de')).toContain('dialect=excel-de');
    expect(csvTypeFor('en')).not.toContain('dialect');
  });

  it('names organization and day, without what a file system refuses', () => {
    expect(fileName('Aufträge', 'Löwen & Bär', '2026-11-24')).toBe('Aufträge Löwen & Bär 2026-11-24.csv');
    expect(fileName('Orders', '../a\\b:c*"d"\n', '2026-11-24')).toBe('Orders ..-a-b-c-d- 2026-11-24.csv');
  });
});

describe('the address of a list', () => {
  it.each(['?q=4711', '?q=true&tab=open', '?q=Gro%C3%9F+%26+Klein', ''])(
    'reads and writes %s alike',
    (text) => {
      expect(writeAddress(parseAddress(text))).toBe(text);
    },
  );

  it('writes no value that is not chosen', () => {
    expect(writeAddress({ q: undefined, tab: '', id: 'r1' })).toBe('?id=r1');
  });

  it('drops names and values that it does not know', () => {
    const known = { tab: ['open', 'asked'], q: null };
    expect(readAddress({ tab: 'nix', q: '4711', more: '1' }, known)).toEqual({ q: '4711' });
    expect(readAddress({ tab: 'asked', q: '' }, known)).toEqual({ tab: 'asked' });
    expect(readAddress({ tab: ['asked'], q: { a: 1 } }, known)).toEqual({});
  });
});

import {
  decodeCursor,
  encodeCursor,
  filteredName,
  MAX_PAGE_BYTES,
  pageOf,
  rowsThatFit,
} from './cursor-pages';

interface Row {
  id: string;
  text: string;
}
const list = { name: 'rows', keyOf: ({ id }: Row) => id };
const rows = (count: number, text = ''): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(index).padStart(4, '0'), text }));

function walked(all: readonly Row[], limit: number): { ids: string[]; pages: number } {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const { data, pagination } = pageOf(all, { limit, cursor }, list);
    ids.push(...data.map(({ id }) => id));
    if (pagination.next_cursor === null) return { ids, pages };
    cursor = pagination.next_cursor;
  }
}

it.each([
  [0, 1],
  [1, 1],
  [2, 1],
  [3, 2],
  [200, 100],
])('%s rows are walked in %s pages of two, each row once', (count, pages) => {
  const all = rows(count);
  expect(walked(all, 2)).toEqual({ ids: all.map(({ id }) => id), pages });
});

it('ends a page at its byte limit, and still returns every row', () => {
  const all = rows(10, 'x'.repeat(MAX_PAGE_BYTES / 3));
  expect(rowsThatFit(all, 50)).toHaveLength(2);
  expect(walked(all, 50)).toEqual({ ids: all.map(({ id }) => id), pages: 5 });
});

it('returns a row larger than a page on its own page', () => {
  expect(rowsThatFit(rows(3, 'x'.repeat(2 * MAX_PAGE_BYTES)), 50)).toHaveLength(1);
});

it('continues after a row that was deleted meanwhile', () => {
  const { pagination } = pageOf(rows(5), { limit: 3 }, list);
  const left = rows(5).filter(({ id }) => id !== '0002');
  const { data } = pageOf(left, { limit: 3, cursor: pagination.next_cursor ?? undefined }, list);
  expect(data.map(({ id }) => id)).toEqual(['0003', '0004']);
});

it.each(['', 'x', encodeCursor('others', '1'), encodeCursor('rows', ''), encodeCursor('rows', 'a')])(
  'refuses the cursor %p',
  (cursor) => {
    const refusal = expect.objectContaining({ code: 'invalid_request' });
    expect(() => decodeCursor('rows', cursor, (key) => /^\d+$/.test(key))).toThrow(refusal);
  },
);

it('names a list by its filters and sort, whatever their order, and not by the place in it', () => {
  const name = filteredName('orders', { status: 'paid', sort: 'created_at', limit: 5, cursor: 'x' });
  expect(filteredName('orders', { sort: 'created_at', q: undefined, status: 'paid', offset: 9 })).toBe(name);
  const others = [{ status: 'paid' }, { status: 'pending', sort: 'created_at' }, {}];
  for (const other of others) expect(filteredName('orders', other)).not.toBe(name);
});

import { quietRows } from './quiet-rows';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));
const known = new Set(['b', 'c']);

it('shows everything at the first look', () => {
  expect(quietRows(rows('a', 'b'), new Set())).toEqual({ shown: rows('a', 'b'), waiting: 0 });
});

it('lets a new row wait that would push known ones down', () => {
  expect(quietRows(rows('a', 'b', 'x', 'c'), known)).toEqual({ shown: rows('b', 'c'), waiting: 2 });
});

it('shows what comes after all known rows, also when some of them are gone', () => {
  expect(quietRows(rows('b', 'x'), known)).toEqual({ shown: rows('b', 'x'), waiting: 0 });
  expect(quietRows(rows('x'), known)).toEqual({ shown: rows('x'), waiting: 0 });
});

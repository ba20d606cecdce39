import { parseAddress, readAddress, writeAddress } from './address';

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

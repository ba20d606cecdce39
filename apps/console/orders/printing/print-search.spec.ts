import { idsOf, MAX_PRINTED, readPrintSearch } from './print-search';

const ID = '01a20ca9-9266-7079-924a-6960827e8427';

it('reads kind and ids, and takes an unknown kind for a slip', () => {
  expect(readPrintSearch({ kind: 'label', ids: ID })).toEqual({ kind: 'label', ids: ID });
  expect(readPrintSearch({ kind: 'poster', ids: 7 })).toEqual({ kind: 'slip', ids: '' });
});

it('takes each id once, no garbage, and no more than one job may have', () => {
  expect(idsOf({ kind: 'slip', ids: `${ID},x,,${ID},../me` })).toEqual([ID]);
  const many = Array.from(
    { length: MAX_PRINTED + 1 },
    (_, n) => ID.slice(0, -2) + String(n).padStart(2, '0'),
  );
  expect(idsOf({ kind: 'slip', ids: many.join(',') })).toEqual(many.slice(0, MAX_PRINTED));
});

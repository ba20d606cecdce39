import { filtersOf, isEmail, readPrescriptionSearch } from './prescription-search';

const NOW_MS = Date.parse('2026-11-24T12:00:00Z');

it('asks by the names of the contract, in whole days of Berlin', () => {
  const search = { shop: 's', email: 'a@b.example', period: '2026-10', id: 'p' };
  expect(filtersOf(search, NOW_MS)).toEqual({
    shop_id: 's',
    customer_email: 'a@b.example',
    created_from: '2026-09-30T22:00:00.000Z',
    created_to: '2026-10-31T23:00:00.000Z',
  });
  expect(filtersOf({ id: 'p' }, NOW_MS)).toEqual({});
});

it('drops what it does not know', () => {
  expect(readPrescriptionSearch({ period: 'year', a: '1', email: 'a@b.example' })).toEqual({
    email: 'a@b.example',
  });
});

it('asks for whole addresses only', () => {
  expect(['anna@b.example', 'anna', '@', 'a b@c'].map(isEmail)).toEqual([true, false, false, false]);
});

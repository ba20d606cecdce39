import { monthsBefore } from '../text/berlin-day';
import { filtersOf, readAuditSearch } from './audit-search';

/** Half past midnight of 1 December in Berlin. */
const NOW = Date.parse('2026-11-30T23:30:00Z');

it.each([
  ['7', { from: '2026-11-24T23:00:00.000Z' }],
  ['30', { from: '2026-11-01T23:00:00.000Z' }],
  ['2026-03', { from: '2026-02-28T23:00:00.000Z', to: '2026-03-31T22:00:00.000Z' }],
  ['2026-12', { from: '2026-11-30T23:00:00.000Z', to: '2026-12-31T23:00:00.000Z' }],
])('asks for the period %s in whole days of Berlin', (period, times) => {
  expect(filtersOf({ period }, NOW)).toEqual(times);
});

it('counts days, not hours, across the end of summer time', () => {
  const lateOnThe26th = Date.parse('2026-10-26T23:30:00+01:00');
  expect(filtersOf({ period: '7' }, lateOnThe26th)).toEqual({ from: '2026-10-19T22:00:00.000Z' });
  const lateOnThe25th = Date.parse('2026-10-25T23:30:00+01:00');
  expect(filtersOf({ period: '7' }, lateOnThe25th)).toEqual({ from: '2026-10-18T22:00:00.000Z' });
  const earlyInSpring = Date.parse('2026-03-30T00:30:00+02:00');
  expect(filtersOf({ period: '7' }, earlyInSpring)).toEqual({ from: '2026-03-23T23:00:00.000Z' });
});

it('asks by the names of the contract, without what is not chosen', () => {
  expect(filtersOf({ who: 'staff:1', what: 'order.note', object: 'order:2', id: '9' }, NOW)).toEqual({
    actor: 'staff:1',
    action: 'order.note',
    object: 'order:2',
  });
  expect(filtersOf({ id: '9' }, NOW)).toEqual({});
});

it('drops a period that it does not know', () => {
  for (const period of ['8', '2026-13', '2026-1', 'x', '']) expect(readAuditSearch({ period })).toEqual({});
  expect(readAuditSearch({ period: '2026-01', other: 'x' })).toEqual({ period: '2026-01' });
});

it('offers months across a new year', () => {
  expect(monthsBefore(Date.parse('2027-01-15T12:00:00Z'), 3)).toEqual(['2027-01', '2026-12', '2026-11']);
});

import { plannedTimes } from './plan-times';

it('offers three hours from now, and eight in the morning of Berlin', () => {
  expect(plannedTimes(Date.parse('2026-11-28T09:00:00Z'))).toEqual({
    later: '2026-11-28T12:00:00.000Z',
    morning: '2026-11-29T07:00:00.000Z',
  });
});

it('has no later today in the evening, and knows the change of the clock', () => {
  expect(plannedTimes(Date.parse('2026-03-28T21:30:00Z'))).toEqual({
    later: null,
    morning: '2026-03-29T06:00:00.000Z',
  });
});

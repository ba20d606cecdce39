import { missingMonths } from './history-months';

const NOW = new Date('2026-11-26T12:00:00Z');
const names = (partitions: string[], now = NOW): string[] =>
  missingMonths(partitions, now).map(({ name }) => name);

describe('missingMonths', () => {
  it('are the present month and the next three', () => {
    expect(names(['order_history_default'])).toEqual([
      'order_history_2026_11',
      'order_history_2026_12',
      'order_history_2027_01',
      'order_history_2027_02',
    ]);
  });

  it('begin where the first partition ends, and leave out what there is', () => {
    const before = ['order_history_default', 'order_history_before_2027_01'];
    expect(names(before)).toEqual(['order_history_2027_01', 'order_history_2027_02']);
    expect(names([...before, 'order_history_2027_01'])).toEqual(['order_history_2027_02']);
  });

  it('are those of UTC', () => {
    const [first] = names(['order_history_default'], new Date('2027-01-01T00:30:00+01:00'));
    expect(first).toBe('order_history_2026_12');
  });

  it('meet each other, from the first millisecond of a month to that of the next one', () => {
    const [one, other] = missingMonths(['order_history_default'], NOW);
    expect(other?.from).toBe(one?.to);
    const millis = Number.parseInt((one?.to ?? '').replaceAll('-', '').slice(0, 12), 16);
    expect(new Date(millis).toISOString()).toBe('2026-12-01T00:00:00.000Z');
  });
});

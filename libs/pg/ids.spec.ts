import { newId } from './ids';

const NOW_MS = Date.parse('2026-03-02T10:00:00.000Z');
const DAY_MS = 86_400_000;

function timeOf(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}

describe('newId', () => {
  beforeEach(() => jest.useFakeTimers({ now: NOW_MS }));
  afterEach(() => jest.useRealTimers());

  it('rises within a millisecond, and while the clock goes back a little', () => {
    const ids = Array.from({ length: 1_000 }, newId);
    jest.setSystemTime(NOW_MS - 500);
    ids.push(...Array.from({ length: 1_000 }, newId));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([-DAY_MS, DAY_MS])('follows the clock that jumps by %i ms, and back', (shiftMs) => {
    newId();
    jest.setSystemTime(NOW_MS + shiftMs);
    expect(timeOf(newId())).toBe(NOW_MS + shiftMs);
    jest.setSystemTime(NOW_MS + 5_000);
    expect(timeOf(newId())).toBe(NOW_MS + 5_000);
  });
});

import { databaseNowMs, noteDatabaseTime } from './database-clock';
import { newId } from './ids';

const DAY_MS = 86_400_000;
const LEEWAY_MS = 5_000;

function timeOf(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}

function distanceMs(oneMs: number, otherMs: number): number {
  return Math.abs(oneMs - otherMs);
}

describe('newId', () => {
  const startMs = databaseNowMs();
  afterEach(() => {
    jest.useRealTimers();
    noteDatabaseTime(Date.now(), 0);
  });

  it('rises within a millisecond, and while the clock goes back a little', () => {
    const ids = Array.from({ length: 1_000 }, newId);
    noteDatabaseTime(databaseNowMs() - 500, 0);
    ids.push(...Array.from({ length: 1_000 }, newId));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([-DAY_MS, DAY_MS])('follows the clock of the database that jumps by %i ms, and back', (shiftMs) => {
    noteDatabaseTime(startMs + shiftMs, 0);
    expect(distanceMs(timeOf(newId()), startMs + shiftMs)).toBeLessThan(LEEWAY_MS);
    noteDatabaseTime(startMs, 0);
    expect(distanceMs(timeOf(newId()), startMs)).toBeLessThan(LEEWAY_MS);
  });

  it.each([-DAY_MS, DAY_MS])('does not follow the clock of the process that jumps by %i ms', (shiftMs) => {
    const beforeMs = timeOf(newId());
    jest.useFakeTimers({ now: Date.now() + shiftMs, doNotFake: ['performance'] });
    expect(distanceMs(timeOf(newId()), beforeMs)).toBeLessThan(LEEWAY_MS);
  });

  it('keeps its time where a slow answer of the database leaves that open', () => {
    const beforeMs = databaseNowMs();
    noteDatabaseTime(beforeMs - 3_000, 4_000);
    expect(databaseNowMs()).toBeGreaterThanOrEqual(beforeMs);
  });
});

import { berlinDay, berlinMidnight, dayBefore } from '../../text/berlin-day';

const HOUR_MS = 3_600_000;
const LATER_HOURS = 3;
/** Eight o'clock: counted from the next midnight, because the clock changes before the morning. */
const berlinMorning = (day: string): string => {
  const nextMidnightMs = Date.parse(berlinMidnight(dayBefore(day, -1)));
  return new Date(nextMidnightMs - 16 * HOUR_MS).toISOString();
};

/** When a parked request is due. Later today is gone in the evening. Days are those of Berlin. */
export function plannedTimes(nowMs: number): { later: string | null; morning: string } {
  const today = berlinDay(nowMs);
  const laterMs = nowMs + LATER_HOURS * HOUR_MS;
  const tomorrow = dayBefore(today, -1);
  return {
    later: berlinDay(laterMs) === today ? new Date(laterMs).toISOString() : null,
    morning: berlinMorning(tomorrow),
  };
}

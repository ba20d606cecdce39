import { invalid } from '@offizin/contracts/errors';
import { MAX_REPORT_DAYS, type ReportPeriod, type ReportQuery } from '@offizin/contracts/reports';

/** Which orders a report is about. `shopId` null is all shops of the organization. */
export interface ReportScope {
  orgId: string;
  period: ReportPeriod;
  shopId: string | null;
}

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * The days that a query asks for, both included; left out, the last 30 in Germany. Days are names of days here, never
 * instants: when a day begins is PostgreSQL's to say, which knows the hours of the two days on which clocks change.
 * Throws `Refused` (invalid_request) for a span that ends before it begins, or is longer than a year.
 */
export function reportPeriod(query: Pick<ReportQuery, 'from' | 'to'>, now: Date): ReportPeriod {
  const to = query.to ?? germanDay(now);
  const from = query.from ?? dayAfter(to, 1 - DEFAULT_DAYS);
  const days = (instantOf(to) - instantOf(from)) / DAY_MS + 1;
  if (days < 1) throw invalid([{ field: 'from', message: `must not be after to (${to})` }]);
  if (days > MAX_REPORT_DAYS) {
    throw invalid([
      { field: 'from', message: `must be at most ${MAX_REPORT_DAYS} days before to, both counted` },
    ]);
  }
  return { from, to };
}

/** The months that have a day in the period, whole. */
export function wholeMonths({ from, to }: ReportPeriod): ReportPeriod {
  const [year = 0, month = 0] = to.split('-').map(Number);
  // Day 0 of the month after.
  return { from: `${from.slice(0, 8)}01`, to: dayOf(Date.UTC(year, month, 0)) };
}

/** The day that it is in Germany at an instant. */
export function germanDay(instant: Date): string {
  const parts = GERMAN_DAY.formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

const GERMAN_DAY = new Intl.DateTimeFormat('en', {
  ...{ timeZone: 'Europe/Berlin', calendar: 'gregory', numberingSystem: 'latn' },
  ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
});

/** Midnight UTC of the day's name: days of UTC have 24 hours each, so they can be counted. */
function instantOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayAfter(day: string, days: number): string {
  return dayOf(instantOf(day) + days * DAY_MS);
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

import { invalid } from '@offizin/contracts/calls/errors';
import { MAX_REPORT_DAYS, type ReportPeriod, type ReportQuery } from '@offizin/contracts/reports/reports';

/** The orders of a report. `shopId` null means all shops of the organization. */
export interface ReportScope {
  orgId: string;
  period: ReportPeriod;
  shopId: string | null;
}

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * The days of a query, both inclusive; the default is the last 30 days in Germany. Days are calendar dates, never
 * instants: PostgreSQL computes when a day begins, because it knows the clock changes. Throws `Refused`
 * (invalid_request) for a span that ends before it begins or exceeds a year.
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

/** Extends the period to whole months. */
export function wholeMonths({ from, to }: ReportPeriod): ReportPeriod {
  const [year = 0, month = 0] = to.split('-').map(Number);
  // Day 0 is the last day of the previous month.
  return { from: `${from.slice(0, 8)}01`, to: dayOf(Date.UTC(year, month, 0)) };
}

export function germanDay(instant: Date): string {
  const parts = GERMAN_DAY.formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

const GERMAN_DAY = new Intl.DateTimeFormat('en', {
  timeZone: 'Europe/Berlin',
  calendar: 'gregory',
  numberingSystem: 'latn',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Midnight UTC of the date: UTC days always have 24 hours, so they can be counted. */
function instantOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayAfter(day: string, days: number): string {
  return dayOf(instantOf(day) + days * DAY_MS);
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

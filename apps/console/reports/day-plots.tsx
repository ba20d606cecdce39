import { lazy } from 'react';
import type { ReportDay } from '@offizin/contracts/console-reports';
import { useFormats } from '../text/texts';
import { ReportFigure } from './report-figure';
import { useReportTexts } from './report-texts';

/** As Bars: larger than the rest of the screen. */
const DayBars = lazy(() => import('../plots/day-bars'));

interface Props {
  days: readonly ReportDay[];
}

/** Orders and revenue by day, each with a scale that fits it. */
export function OrderDays({ days }: Props) {
  const texts = useReportTexts();
  const { number, money } = useFormats();
  return (
    <>
      <DayReport title={texts.ordersByDay} days={days} figure="orders" written={number} />
      <DayReport title={texts.revenueByDay} days={days} figure="revenue" written={money} />
    </>
  );
}

interface DayReportProps extends Props {
  title: string;
  figure: 'orders' | 'revenue';
  written: (value: number) => string;
}

function DayReport({ title, days, figure, written }: DayReportProps) {
  const texts = useReportTexts();
  const formats = useFormats();
  const sum = days.reduce((before, day) => before + day[figure], 0);
  const name = texts.column[figure];
  if (sum === 0) return null;
  return (
    <ReportFigure
      title={title}
      note={texts.tableNote}
      plot={
        <DayBars
          label={texts.daysLabel(title, written(sum))}
          days={days.map((day) => ({ day: day.day, values: { [figure]: day[figure] } }))}
          series={[{ key: figure, name, fill: 'var(--accent)' }]}
          written={written}
        />
      }
      columns={[{ name: texts.column.day }, { name, written }]}
      rows={days.map((day) => [formats.date(day.day), day[figure]])}
    />
  );
}

/** Order requests by the day of their submission, by what has become of them. */
export function RequestDays({ days }: Props) {
  const texts = useReportTexts();
  const { date, number } = useFormats();
  const rows = days.map((day) => ({ ...day, rest: day.requests - day.approved - day.rejected }));
  const sum = (of: 'requests' | 'approved' | 'rejected') => rows.reduce((before, row) => before + row[of], 0);
  const columns = (['requests', 'approved', 'rejected', 'rest'] as const).map((key) => ({
    name: texts.outcome[key],
    written: number,
  }));
  if (sum('requests') === 0) return null;
  const label = texts.outcomesLabel(
    number(sum('requests')),
    number(sum('approved')),
    number(sum('rejected')),
  );
  return (
    <ReportFigure
      title={texts.requestsByDay}
      note={texts.requestsNote}
      plot={
        <DayBars
          label={label}
          days={rows.map(({ day, approved, rejected, rest }) => ({
            day,
            values: { approved, rejected, rest },
          }))}
          series={[
            { key: 'approved', name: texts.outcome.approved, fill: 'var(--accent)' },
            { key: 'rejected', name: texts.outcome.rejected, fill: 'var(--danger)' },
            { key: 'rest', name: texts.outcome.rest, fill: 'var(--line-field)' },
          ]}
          written={number}
        />
      }
      columns={[{ name: texts.column.day }, ...columns]}
      rows={rows.map(({ day, requests, approved, rejected, rest }) => [
        ...[date(day), requests, approved, rejected, rest],
      ])}
    />
  );
}

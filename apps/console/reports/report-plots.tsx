import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import type { ReportDay } from '@offizin/contracts/reports/console-reports';
import type { ReportStats } from '@offizin/contracts/reports/reports';
import { Fault } from '../messages/fault';
import { readableName, readableOf } from '../text/customer-name';
import { useFormats } from '../text/texts';
import { type Cell, type Column, ReportFigure } from './report-figure';
import { useReportTexts } from './report-texts';
import { type Asked, customersReport, productsReport, reviewReport, runningOut } from './reports.calls';

export function StatusReport({ stats }: { stats: ReportStats }) {
  const texts = useReportTexts();
  const { number, money } = useFormats();
  const rows = stats.orders.by_status.filter(({ orders }) => orders > 0);
  return (
    <BarReport
      title={texts.byStatus}
      note={texts.statusNote}
      bars={rows.map(({ status, orders }) => ({ name: texts.status[status], value: orders }))}
      written={number}
      columns={[
        { name: texts.column.status },
        { name: texts.column.orders, written: number },
        { name: texts.column.revenue, written: money },
      ]}
      rows={rows.map(({ status, orders, amount }) => [texts.status[status], orders, amount])}
    />
  );
}

export function TopProducts({ asked }: { asked: Asked }) {
  const texts = useReportTexts();
  const { number, money } = useFormats();
  const { data, error, refetch } = useQuery(productsReport(asked));
  const rows = (data?.data ?? []).map((row) => ({
    ...row,
    name: readableOf(row.name, row.p1_id) || texts.nameless,
  }));
  if (error && !data) return <Fault error={error} onAgain={() => void refetch()} />;
  return (
    <BarReport
      title={texts.topProducts}
      note={texts.tableNote}
      bars={rows.map(({ name, revenue }) => ({ name, value: revenue }))}
      written={money}
      columns={[
        { name: texts.column.product },
        { name: texts.column.pieces, written: number },
        { name: texts.column.revenue, written: money },
      ]}
      rows={rows.map(({ name, quantity, revenue }) => [name, quantity, revenue])}
    />
  );
}

export function TopCustomers({ asked }: { asked: Asked }) {
  const texts = useReportTexts();
  const { number, money } = useFormats();
  const { data, error, refetch } = useQuery(customersReport(asked));
  const rows = (data?.data ?? []).map((row) => ({
    ...row,
    name: readableName(row.customer_name) ?? row.customer_email ?? texts.nameless,
  }));
  if (error && !data) return <Fault error={error} onAgain={() => void refetch()} />;
  return (
    <BarReport
      title={texts.topCustomers}
      note={texts.tableNote}
      bars={rows.map(({ name, revenue }) => ({ name, value: revenue }))}
      written={money}
      columns={[
        { name: texts.column.customer },
        { name: texts.column.orders, written: number },
        { name: texts.column.revenue, written: money },
      ]}
      rows={rows.map(({ name, orders, revenue }) => [name, orders, revenue])}
    />
  );
}

/** The stock belongs to the organization: neither shop nor period of the address change it. */
export function RunningOut() {
  const texts = useReportTexts();
  const { number } = useFormats();
  const { data, error, refetch } = useQuery(runningOut);
  if (error && !data) return <Fault error={error} onAgain={() => void refetch()} />;
  const rows = (data?.data ?? []).map((row) => ({ ...row, name: readableOf(row.name, row.p1_id) }));
  return (
    <BarReport
      title={texts.runningOut}
      note={texts.runningOutNote(number(rows.length), number(data?.total ?? 0))}
      bars={rows.map(({ name, days_left: days }) => ({ name, value: days }))}
      written={(days) => texts.daysLeft(days, number(days))}
      columns={[
        { name: texts.column.product },
        { name: texts.column.available, written: number },
        { name: texts.column.sold, written: number },
        { name: texts.column.daysLeft, written: number },
      ]}
      rows={rows.map(({ name, available_quantity: available, sold, days_left: days }) => [
        name,
        available,
        sold,
        days,
      ])}
    />
  );
}

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
        date(day),
        requests,
        approved,
        rejected,
        rest,
      ])}
    />
  );
}

export function Reasons({ asked }: { asked: Asked }) {
  const texts = useReportTexts();
  const { number } = useFormats();
  const { data, error, refetch } = useQuery(reviewReport(asked));
  if (error && !data) return <Fault error={error} onAgain={() => void refetch()} />;
  const reasons = data?.data.reasons ?? [];
  return (
    <BarReport
      title={texts.reasons}
      note={texts.requestsNote}
      bars={reasons.map(({ reason, requests }) => ({ name: texts.reason[reason], value: requests }))}
      written={number}
      columns={[{ name: texts.column.reason }, { name: texts.column.requests, written: number }]}
      rows={reasons.map(({ reason, requests }) => [texts.reason[reason], requests])}
    />
  );
}

/** The library of plots is larger than the rest of the screen; the tiles are there before it. */
const Bars = lazy(() => import('../plots/bars'));

interface BarReportProps {
  title: string;
  note: string;
  bars: readonly { name: string; value: number }[];
  written: (value: number) => string;
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
}

/** Values by name; draws nothing without values. */
function BarReport({ title, note, bars, written, columns, rows }: BarReportProps) {
  const texts = useReportTexts();
  const first = bars[0];
  if (!first) return null;
  const label = texts.barsLabel(title, `${first.name}, ${written(first.value)}`);
  return (
    <ReportFigure
      title={title}
      note={note}
      columns={columns}
      rows={rows}
      plot={<Bars label={label} bars={bars} written={written} />}
    />
  );
}

import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import type { ReportStats } from '@offizin/contracts/reports';
import { PlotFigure, PlotTable } from '../plots/plot-figure';
import { Fault } from '../shell/fault';
import { readableName } from '../text/customer-name';
import { useFormats } from '../text/texts';
import { useReportTexts } from './report-texts';
import { type Asked, customersReport, productsReport } from './reports.calls';
import css from './reports.module.css';

/** The library of plots is larger than the rest of the screen; the tiles are there before it. */
const Bars = lazy(() => import('../plots/bars'));

export function StatusReport({ stats }: { stats: ReportStats }) {
  const texts = useReportTexts();
  const formats = useFormats();
  const rows = stats.orders.by_status.filter(({ orders }) => orders > 0);
  return (
    <Report
      title={texts.byStatus}
      note={texts.statusNote}
      bars={rows.map(({ status, orders }) => ({ name: texts.status[status], value: orders }))}
      written={formats.number}
      columns={[texts.column.status, texts.column.orders, texts.column.revenue]}
      rows={rows.map(({ status, orders, amount }) => [
        texts.status[status],
        formats.number(orders),
        formats.money(amount),
      ])}
    />
  );
}

export function TopProducts({ asked }: { asked: Asked }) {
  const texts = useReportTexts();
  const formats = useFormats();
  const { data, error, refetch } = useQuery(productsReport(asked));
  const rows = (data?.data ?? []).map((row) => ({ ...row, name: row.name ?? row.p1_id ?? texts.nameless }));
  if (error && !data) return <Fault error={error} onAgain={() => void refetch()} />;
  return (
    <Report
      title={texts.topProducts}
      note={texts.tableNote}
      bars={rows.map(({ name, revenue }) => ({ name, value: revenue }))}
      written={formats.money}
      columns={[texts.column.product, texts.column.pieces, texts.column.revenue]}
      rows={rows.map(({ name, quantity, revenue }) => [
        name,
        formats.number(quantity),
        formats.money(revenue),
      ])}
    />
  );
}

export function TopCustomers({ asked }: { asked: Asked }) {
  const texts = useReportTexts();
  const formats = useFormats();
  const { data, error, refetch } = useQuery(customersReport(asked));
  const rows = (data?.data ?? []).map((row) => ({
    ...row,
    name: readableName(row.customer_name) ?? row.customer_email ?? texts.nameless,
  }));
  if (error && !data) return <Fault error={error} onAgain={() => void refetch()} />;
  return (
    <Report
      title={texts.topCustomers}
      note={texts.tableNote}
      bars={rows.map(({ name, revenue }) => ({ name, value: revenue }))}
      written={formats.money}
      columns={[texts.column.customer, texts.column.orders, texts.column.revenue]}
      rows={rows.map(({ name, orders, revenue }) => [name, formats.number(orders), formats.money(revenue)])}
    />
  );
}

interface ReportProps {
  title: string;
  note: string;
  bars: readonly { name: string; value: number }[];
  written: (value: number) => string;
  columns: readonly string[];
  rows: readonly (readonly [string, ...string[]])[];
}

function Report({ title, note, bars, written, columns, rows }: ReportProps): ReactNode {
  const texts = useReportTexts();
  const first = bars[0];
  if (!first) return null;
  const label = texts.barsLabel(title, `${first.name}, ${written(first.value)}`);
  return (
    <div className={css.card}>
      <PlotFigure
        title={title}
        words={texts}
        plot={
          <Suspense fallback={<div className={css.plotPlace} />}>
            <Bars label={label} bars={bars} written={written} />
          </Suspense>
        }
        table={<PlotTable caption={note} columns={columns} rows={rows} />}
      />
    </div>
  );
}

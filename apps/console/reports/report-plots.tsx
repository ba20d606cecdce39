import { useQuery } from '@tanstack/react-query';
import type { ReportStats } from '@offizin/contracts/reports';
import { Fault } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { readableName } from '../text/customer-name';
import { useFormats } from '../text/texts';
import { BarReport } from './bar-report';
import { useReportTexts } from './report-texts';
import { type Asked, customersReport, productsReport, runningOut } from './reports.calls';

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
  const rows = (data?.data ?? []).map((row) => ({ ...row, name: row.name ?? row.p1_id ?? texts.nameless }));
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
  const { org } = useSession();
  const { data, error, refetch } = useQuery(runningOut(org.id));
  if (error && !data) return <Fault error={error} onAgain={() => void refetch()} />;
  const rows = data?.data ?? [];
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
        ...[name, available, sold, days],
      ])}
    />
  );
}

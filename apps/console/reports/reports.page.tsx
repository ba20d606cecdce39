import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReportDay } from '@offizin/contracts/reports/console-reports';
import type { ReportStats } from '@offizin/contracts/reports/reports';
import { Button } from '../controls/button';
import { EmptyState } from '../controls/empty-state';
import { PageHead } from '../controls/page-head';
import { Picker } from '../controls/picker';
import { Fault } from '../messages/fault';
import { useSession } from '../session/session.calls';
import { useShopFilter } from '../lists/list-filters';
import { monthAfter, monthNow } from '../text/berlin-day';
import { useFormats } from '../text/texts';
import {
  earlier,
  FIRST_DAY,
  isTooLong,
  isTyped,
  later,
  MAX_DAYS,
  monthOf,
  type Period,
  periodBefore,
  periodOf,
  type ReportSearch,
  SPANS,
  spanOf,
} from './report-search';
import { useReportTexts } from './report-texts';
import {
  OrderDays,
  Reasons,
  RequestDays,
  RunningOut,
  StatusReport,
  TopCustomers,
  TopProducts,
} from './report-plots';
import { type Asked, dailyReport, statsReport } from './reports.calls';
import { type Figures, Tiles } from './tiles';
import css from './reports.module.css';

const route = getRouteApi('/inside/reports');

const MONTH = 'month';
/** Older ones are reached by the button beside them. */
const MONTHS_OFFERED = 36;
/** The change of the address that takes the present period away. */
const NO_PERIOD = { days: undefined, month: undefined, from: undefined, to: undefined };

/** Figures of a period, as tiles and plots. The address holds period and shop. Nothing is shown per person. */
export default function ReportsPage() {
  const texts = useReportTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { shops } = useSession();
  // The days of the visit: midnight must not move the period under the reader's eyes.
  const [nowMs] = useState(() => Date.now());
  const period = periodOf(search, nowMs);
  const month = monthOf(search, nowMs);
  // A shop that there is not leaves the choice, as unknown values leave the address.
  const shopId = shops.find(({ shop_id: id }) => id === search.shop)?.shop_id;
  const asked = { shopId, period };
  const enabled = !isTooLong(period);
  const now = useFigures(asked, enabled);
  const before = useFigures({ ...asked, period: periodBefore(period, month) }, enabled);
  const show = (change: Partial<ReportSearch>) =>
    void navigate({ search: (present) => ({ ...present, ...change }), replace: true });
  const { stats, days } = now.figures;
  const error = now.error ?? before.error;
  const again = () => {
    now.again();
    before.again();
  };
  return (
    <div className={css.page} tabIndex={0} role="region" aria-label={texts.title}>
      <Head
        period={period}
        month={month}
        search={{ ...search, shop: shopId }}
        now={monthNow(nowMs)}
        onChange={show}
      />
      {!enabled && <EmptyState title={texts.tooLong(MAX_DAYS)} hint={texts.tooLongHint} />}
      {now.isPending && <Ghosts />}
      {error && <Fault error={error} onAgain={again} />}
      {stats && days && isNothing(stats, days) && <EmptyState title={texts.empty} hint={texts.emptyHint} />}
      {stats && days && !isNothing(stats, days) && (
        <>
          <Tiles now={now.figures} before={before.figures} />
          <div className={css.plots}>
            <OrderDays days={days} />
            <RequestDays days={days} />
            <Reasons asked={asked} />
            <StatusReport stats={stats} />
            <RunningOut />
            <TopProducts asked={asked} />
            <TopCustomers asked={asked} />
          </div>
        </>
      )}
    </div>
  );
}

const GHOSTS = { tiles: 5, plots: 6 };

/** Tiles and plots before they are there, as large as they will be. */
function Ghosts() {
  const texts = useReportTexts();
  const some = (count: number, className: string | undefined) =>
    Array.from({ length: count }, (_, index) => <div key={index} className={className} />);
  return (
    <div className={css.ghosts} role="status" aria-label={texts.loading}>
      <div className={css.tiles}>{some(GHOSTS.tiles, css.tile)}</div>
      <div className={css.plots}>{some(GHOSTS.plots, css.card)}</div>
    </div>
  );
}

/** The figures of a period. What fails later leaves the rest on the screen. */
function useFigures(asked: Asked, enabled: boolean) {
  const stats = useQuery({ ...statsReport(asked), enabled });
  const daily = useQuery({ ...dailyReport(asked), enabled });
  const all = [stats, daily];
  const figures: Figures = { stats: stats.data?.data, days: daily.data?.data };
  return {
    figures,
    isPending: enabled && (stats.isPending || daily.isPending),
    error: all.find(({ isLoadingError }) => isLoadingError)?.error ?? null,
    again: () => all.filter(({ isLoadingError }) => isLoadingError).forEach(({ refetch }) => void refetch()),
  };
}

function isNothing({ orders }: ReportStats, days: readonly ReportDay[]): boolean {
  return orders.total + orders.cancelled === 0 && days.every(({ requests }) => requests === 0);
}

interface HeadProps {
  search: ReportSearch;
  period: Period;
  /** YYYY-MM; null when another period is chosen. */
  month: string | null;
  /** The running month. */
  now: string;
  onChange: (change: Partial<ReportSearch>) => void;
}

function Head({ search, period, month, now, onChange }: HeadProps) {
  const texts = useReportTexts();
  const formats = useFormats();
  const shop = useShopFilter(search.shop, (id) => onChange({ shop: id }));
  const span = month === null ? spanOf(search) : MONTH;
  const show = (from: string, to: string) => onChange({ ...NO_PERIOD, from, to });
  const showMonth = (chosen: string) => onChange({ ...NO_PERIOD, month: chosen });
  return (
    <PageHead
      title={texts.title}
      about={<span role="status">{texts.days(formats.date(period.from), formats.date(period.to))}</span>}
      act={
        <div className={css.filters}>
          <Picker
            label={texts.span}
            choices={[
              ...SPANS.map((id) => ({ id, name: texts.spans[id] })),
              { id: MONTH, name: texts.month },
              ...(span === null ? [{ id: '', name: texts.ownSpan }] : []),
            ]}
            chosen={span ?? ''}
            onChoose={(id) => {
              if (id === MONTH) showMonth(now);
              else onChange({ ...NO_PERIOD, days: SPANS.find((known) => known === id) });
            }}
          />
          {month !== null && <Month month={month} now={now} onChange={showMonth} />}
          <Day label={texts.from} day={period.from} onChange={(from) => show(from, later(from, period.to))} />
          <Day label={texts.to} day={period.to} onChange={(to) => show(earlier(period.from, to), to)} />
          {shop.pickers.map((picker) => (
            <Picker key={picker.label} {...picker} />
          ))}
          <Button onPress={() => window.print()}>{texts.print}</Button>
        </div>
      }
    />
  );
}

interface MonthProps {
  month: string;
  now: string;
  onChange: (month: string) => void;
}

/** Safari and Firefox have no field for months. */
function Month({ month, now, onChange }: MonthProps) {
  const texts = useReportTexts();
  const formats = useFormats();
  const offered = Array.from({ length: MONTHS_OFFERED }, (_, back) => monthAfter(now, -back));
  const months = offered.includes(month) ? offered : [...offered, month];
  const [before, after] = [monthAfter(month, -1), monthAfter(month, 1)];
  return (
    <>
      <Button
        kind="quiet"
        aria-label={texts.monthBefore}
        isDisabled={`${before}-01` < FIRST_DAY}
        onPress={() => onChange(before)}
      >
        ‹
      </Button>
      <Picker
        label={texts.month}
        choices={months.map((id) => ({ id, name: formats.month(id) }))}
        chosen={month}
        onChoose={onChange}
      />
      <Button
        kind="quiet"
        aria-label={texts.monthAfter}
        isDisabled={after > now}
        onPress={() => onChange(after)}
      >
        ›
      </Button>
    </>
  );
}

function Day({ label, day, onChange }: { label: string; day: string; onChange: (day: string) => void }) {
  // Kept until the field is left: a day set from outside would end the typing of a year.
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      type="date"
      className={css.day}
      aria-label={label}
      min={FIRST_DAY}
      max="9999-12-31"
      value={typed ?? day}
      onChange={({ target }) => {
        setTyped(target.value);
        if (isTyped(target.value)) onChange(target.value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

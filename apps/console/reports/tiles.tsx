import type { ReportStats } from '@offizin/contracts/reports';
import { useFormats } from '../text/texts';
import { changeInPercent } from './report-search';
import { useReportTexts } from './report-texts';
import css from './reports.module.css';

interface Props {
  stats: ReportStats;
  /** Of the period before; missing until it is known. */
  before: ReportStats | undefined;
}

/** The figures of the API, as they are. */
export function Tiles({ stats, before }: Props) {
  const texts = useReportTexts();
  const { number, money } = useFormats();
  const tiles = [
    { name: texts.tile.orders, written: number, of: ({ orders }: ReportStats) => orders.total },
    { name: texts.tile.revenue, written: money, of: ({ orders }: ReportStats) => orders.revenue },
    { name: texts.tile.average, written: money, of: ({ orders }: ReportStats) => orders.average_order_value },
    { name: texts.tile.customers, written: number, of: ({ customers }: ReportStats) => customers.total },
  ];
  return (
    <dl className={css.tiles} aria-label={texts.figures}>
      {tiles.map(({ name, written, of }) => {
        const value = of(stats);
        return (
          <div key={name} className={css.tile}>
            <dt>{name}</dt>
            <dd className={css.figure}>{value === null ? texts.none : written(value)}</dd>
            <dd className={css.change}>{before && <Change now={value} before={of(before)} />}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** More is not better by itself, so it has no colour. */
function Change({ now, before }: { now: number | null; before: number | null }) {
  const texts = useReportTexts();
  const formats = useFormats();
  const change = changeInPercent(now ?? 0, before ?? 0);
  if (change === null) return texts.noBefore;
  const arrow = change > 0 ? '▲' : change < 0 ? '▼' : '±';
  return texts.before(`${arrow} ${formats.number(Math.round(Math.abs(change) * 10) / 10)} %`);
}

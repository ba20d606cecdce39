import type { ReportDay } from '@offizin/contracts/reports/console-reports';
import type { ReportStats } from '@offizin/contracts/reports/reports';
import { useFormats } from '../text/texts';
import { changeInPercent, rejectedShare } from './report-search';
import { useReportTexts } from './report-texts';
import css from './reports.module.css';

/** What the tiles of a period are made of; missing until it is known. */
export interface Figures {
  stats: ReportStats | undefined;
  days: readonly ReportDay[] | undefined;
}

interface Tile {
  name: string;
  written: (value: number) => string;
  /** Null: the period has no such figure. Undefined: it is not known yet. */
  of: (figures: Figures) => number | null | undefined;
}

/** The figures of the API, as they are, and the change from the period before. */
export function Tiles({ now, before }: { now: Figures; before: Figures }) {
  const texts = useReportTexts();
  const { number, money } = useFormats();
  const tiles: Tile[] = [
    { name: texts.tile.orders, written: number, of: ({ stats }) => stats?.orders.total },
    { name: texts.tile.revenue, written: money, of: ({ stats }) => stats?.orders.revenue },
    {
      name: texts.tile.rejected,
      written: (share) => texts.percent(number(Math.round(share * 1000) / 10)),
      of: ({ days }) => days && rejectedShare(days),
    },
    { name: texts.tile.average, written: money, of: ({ stats }) => stats?.orders.average_order_value },
    { name: texts.tile.customers, written: number, of: ({ stats }) => stats?.customers.total },
  ];
  return (
    <dl className={css.tiles} aria-label={texts.figures}>
      {tiles.map(({ name, written, of }) => {
        const value = of(now);
        const old = of(before);
        return (
          <div key={name} className={css.tile}>
            <dt>{name}</dt>
            <dd className={css.figure}>
              {value === undefined ? '…' : value === null ? texts.none : written(value)}
            </dd>
            <dd className={css.change}>
              {value !== undefined && old !== undefined && <Change now={value} before={old} />}
            </dd>
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

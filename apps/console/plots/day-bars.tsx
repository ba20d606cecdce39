import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormats } from '../text/texts';
import css from './plots.module.css';

export interface Series {
  /** Of its values in the days. */
  key: string;
  name: string;
  fill: string;
}

export interface Day {
  day: string;
  values: Readonly<Record<string, number>>;
}

interface Props {
  /** What a reader of the screen gets instead of the bars; the values are in the table behind them. */
  label: string;
  days: readonly Day[];
  series: readonly Series[];
  written: (value: number) => string;
}

const HEIGHT_PX = 220;
/** Room for the numbers at the left. */
const AXIS_PX = 44;

/** Values by day, those of several series on top of each other, as SVG. */
export default function DayBars({ label, days, series, written }: Props) {
  const formats = useFormats();
  return (
    <>
      <div className={css.plot} role="img" aria-label={label}>
        <BarChart
          responsive
          data={[...days]}
          style={{ width: '100%', height: HEIGHT_PX }}
          margin={{ top: 8, right: 24, bottom: 0, left: 0 }}
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="day"
            tickFormatter={formats.day}
            tickLine={false}
            minTickGap={24}
            stroke="var(--ink-soft)"
          />
          <YAxis
            allowDecimals={false}
            width={AXIS_PX}
            tickFormatter={formats.number}
            tickLine={false}
            axisLine={false}
            stroke="var(--ink-soft)"
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--hover)' }}
            content={(hovered) => <Hovered series={series} written={written} day={dayOf(hovered)} />}
          />
          {series.map(({ key, fill }) => (
            <Bar
              key={key}
              dataKey={(day: Day) => day.values[key] ?? 0}
              stackId="day"
              fill={fill}
              maxBarSize={28}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </div>
      {series.length > 1 && (
        <ul className={css.legend}>
          {series.map(({ key, name, fill }) => (
            <li key={key}>
              <svg className={css.swatch} aria-hidden="true">
                <rect width="100%" height="100%" rx="2" fill={fill} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface HoveredByLibrary {
  active?: boolean;
  payload?: readonly { payload?: unknown }[];
}

function dayOf({ active = false, payload = [] }: HoveredByLibrary): Day | undefined {
  const day = payload[0]?.payload;
  return active && isDay(day) ? day : undefined;
}

function isDay(value: unknown): value is Day {
  return typeof value === 'object' && value !== null && 'day' in value && 'values' in value;
}

function Hovered({ day, series, written }: Pick<Props, 'series' | 'written'> & { day: Day | undefined }) {
  const formats = useFormats();
  if (!day) return null;
  return (
    <div className={css.hovered}>
      {formats.date(day.day)}
      {series.map(({ key, name }) => (
        <div key={key}>
          {series.length > 1 && `${name}: `}
          <strong>{written(day.values[key] ?? 0)}</strong>
        </div>
      ))}
    </div>
  );
}

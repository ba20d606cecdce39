import { Bar, BarChart, LabelList, XAxis, YAxis } from 'recharts';
import css from './plots.module.css';
import { shortName } from './short-name';

interface Named {
  name: string;
  value: number;
}

interface Props {
  /** What a reader of the screen gets instead of the bars; the values are in the table behind them. */
  label: string;
  bars: readonly Named[];
  written: (value: number) => string;
}

const ROW_PX = 26;
/** Room for the names at the left, and for the values at the ends. */
const NAMES_PX = 132;
const VALUES_PX = 84;

/** Values by name, the longest bar first, as SVG. */
export default function Bars({ label, bars, written }: Props) {
  return (
    <div className={css.bars} role="img" aria-label={label}>
      <BarChart
        responsive
        layout="vertical"
        data={[...bars]}
        style={{ width: '100%', height: ROW_PX * bars.length }}
        margin={{ top: 0, right: VALUES_PX, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <XAxis type="number" hide />
        <YAxis
          type="category"
          dataKey="name"
          tickFormatter={shortName}
          width={NAMES_PX}
          interval={0}
          tickLine={false}
          axisLine={false}
          stroke="var(--ink)"
        />
        <Bar
          dataKey="value"
          barSize={8}
          minPointSize={2}
          radius={3}
          fill="var(--accent)"
          isAnimationActive={false}
        >
          <LabelList
            dataKey="value"
            position="right"
            fill="var(--ink)"
            formatter={(value) => (typeof value === 'number' ? written(value) : '')}
          />
        </Bar>
      </BarChart>
    </div>
  );
}

import { CartesianGrid, Line, LineChart, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormats } from '../text/texts';
import css from './plots.module.css';

/** A value, and from when on it counts. */
export interface Step {
  atMs: number;
  value: number;
}

interface Props {
  /** What a reader of the screen gets instead of the line; the values are in the table behind it. */
  label: string;
  steps: readonly Step[];
  /** A level to compare with. */
  mark: number;
}

const HEIGHT_PX = 180;
/** Room for the numbers at the left. */
const AXIS_PX = 44;

/** A value over time that changes in steps, as SVG. */
export default function StepPlot({ label, steps, mark }: Props) {
  const formats = useFormats();
  const day = (atMs: number) => formats.day(new Date(atMs).toISOString());
  return (
    <div className={css.plot} role="img" aria-label={label}>
      <LineChart
        responsive
        data={[...steps]}
        style={{ width: '100%', height: HEIGHT_PX }}
        margin={{ top: 8, right: 12, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="atMs"
          type="number"
          domain={['dataMin', 'dataMax']}
          tickFormatter={day}
          tickLine={false}
          minTickGap={32}
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
        <Tooltip isAnimationActive={false} content={Hovered} />
        {mark > 0 && (
          <ReferenceLine y={mark} stroke="var(--warn)" strokeDasharray="4 4" ifOverflow="extendDomain" />
        )}
        <Line
          type="stepAfter"
          dataKey="value"
          dot={false}
          strokeWidth={2}
          stroke="var(--accent)"
          isAnimationActive={false}
        />
      </LineChart>
    </div>
  );
}

interface HoveredProps {
  active?: boolean;
  label?: string | number | undefined;
  payload?: readonly { value?: unknown }[];
}

function Hovered({ active = false, label, payload = [] }: HoveredProps) {
  const formats = useFormats();
  const value = payload[0]?.value;
  if (!active || typeof label !== 'number' || typeof value !== 'number') return null;
  return (
    <div className={css.hovered}>
      {formats.date(new Date(label).toISOString())}: <strong>{formats.number(value)}</strong>
    </div>
  );
}

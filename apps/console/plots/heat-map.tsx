import css from './plots.module.css';

interface Cell {
  /** Null where there is nothing to show. */
  value: number | null;
  /** Shown under the pointer. */
  title: string;
}

interface Props {
  /** What a reader of the screen gets instead of the colours; the values are in the table behind them. */
  label: string;
  rows: readonly { name: string; cells: readonly Cell[] }[];
  /** The name of a column; null leaves it out. */
  columns: readonly (string | null)[];
  written: (value: number) => string;
}

const ROW_PX = 24;
const GAP_PX = 2;
/** Per cent of the width for the names at the left. */
const NAMES = 9;
/** The faintest cell is still seen as one. */
const FAINTEST = 0.14;
/** Shades of the scale, from the least to the most. */
const SHADES = [0, 0.25, 0.5, 0.75, 1];

/** Values as shades of one colour, as SVG. Widths are per cents, so that texts keep their size. */
export default function HeatMap({ label, rows, columns, written }: Props) {
  const width = (100 - NAMES) / columns.length;
  const most = Math.max(...rows.flatMap(({ cells }) => cells.map(({ value }) => value ?? 0)));
  const x = (column: number) => `${NAMES + column * width}%`;
  const height = ROW_PX * (rows.length + 1);
  return (
    <>
      <svg className={css.heat} role="img" aria-label={label} width="100%" height={height}>
        {rows.map(({ name, cells }, row) => (
          <g key={name}>
            <text x="0" y={ROW_PX * (row + 0.7)}>
              {name}
            </text>
            {cells.map(({ value, title }, column) => (
              <rect
                key={column}
                x={x(column)}
                y={ROW_PX * row}
                width={`${width * 0.92}%`}
                height={ROW_PX - GAP_PX}
                rx="3"
                fill={value === null ? 'var(--hover)' : 'var(--accent)'}
                fillOpacity={value === null ? 1 : shade(most === 0 ? 1 : value / most)}
              >
                <title>{title}</title>
              </rect>
            ))}
          </g>
        ))}
        {columns.map((name, column) =>
          name === null ? null : (
            <text key={name} x={x(column)} y={ROW_PX * (rows.length + 0.7)}>
              {name}
            </text>
          ),
        )}
      </svg>
      <div className={css.scale} aria-hidden>
        {written(0)}
        {SHADES.map((part) => (
          <svg key={part} className={css.swatch}>
            <rect width="100%" height="100%" fill="var(--accent)" fillOpacity={shade(part)} />
          </svg>
        ))}
        {written(most)}
      </div>
    </>
  );
}

function shade(part: number): number {
  return FAINTEST + (1 - FAINTEST) * part;
}

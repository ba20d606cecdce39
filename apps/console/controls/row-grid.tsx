import { type ReactNode, useSyncExternalStore } from 'react';
import figureCss from './figure.module.css';
import { type ListedRows, useRowWindow } from './row-window';
import css from './row-grid.module.css';

/** Height of a row in px. */
const ROW_PX = 44;
/** Height of the names of the columns in px, which cards do not show. */
const HEAD_PX = 25;
/** Below it a row is a card of several lines; row-grid.module.css has the same. */
const CARDS = '(max-width: 719px)';

export interface Column {
  name: string;
  className: string | undefined;
  /** Its cells are FigureCells. */
  isFigure?: boolean;
}

/** Rows can be selected, besides being opened. */
interface Marks<Row> {
  /** Name of the column. */
  column: string;
  has: (id: string) => boolean;
  /** `isRange`: with Shift, from the row that was marked last. */
  onMark: (id: string, isRange: boolean) => void;
  nameOf: (row: Row) => string;
}

interface Props<Row extends { id: string }> extends ListedRows<Row> {
  label: string;
  /** Has `--columns`, the widths of the columns, and `--card`, the places of the cells on a card. */
  className: string;
  /** In place of the class's `--columns`. */
  template?: string | undefined;
  columns: readonly Column[];
  cardPx: number;
  total: number;
  onOpen: (id: string) => void;
  /** The cells of a row, with the class names of their columns. */
  cells: (row: Row) => ReactNode;
  marks?: Marks<Row>;
}

/** A grid of real elements, of which only those on the screen exist. Another height is another list. */
export function RowGrid<Row extends { id: string }>(props: Props<Row>) {
  const isCards = useIsCards();
  const [rowPx, headPx] = isCards ? [props.cardPx, 0] : [ROW_PX, HEAD_PX];
  return <Grid key={String(isCards)} rowPx={rowPx} headPx={headPx} {...props} />;
}

interface Heights {
  rowPx: number;
  headPx: number;
}

/** The grid itself scrolls: what scrolls must be what the keys can reach. */
function Grid<Row extends { id: string }>({ rowPx, headPx, ...props }: Props<Row> & Heights) {
  const { rows, selectedId, total, label, className, template, columns, onOpen, cells, marks } = props;
  const { scroller, shown, heightPx, isSelected } = useRowWindow(props, rowPx, headPx);
  return (
    <div
      ref={scroller}
      role="grid"
      className={`${css.grid} ${marks ? css.withMarks : ''} ${className}`}
      style={template === undefined ? undefined : { ['--columns' as string]: template }}
      tabIndex={0}
      aria-label={label}
      aria-rowcount={total + 1}
      aria-activedescendant={isSelected ? rowId(selectedId) : undefined}
    >
      <Head columns={columns} headPx={headPx} markColumn={marks?.column} />
      <div role="rowgroup" className={css.canvas} style={{ height: heightPx }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return (
            row && (
              // The grid owns focus and keys; a row only takes the pointer.
              <div
                key={row.id}
                id={rowId(row.id)}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={row.id === selectedId}
                className={css.row}
                style={{ height: rowPx, transform: `translateY(${start - headPx}px)` }}
                onClick={() => onOpen(row.id)}
              >
                {marks && <Mark row={row} marks={marks} />}
                {cells(row)}
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

interface HeadProps {
  columns: readonly Column[];
  headPx: number;
  markColumn: string | undefined;
}

function Head({ columns, headPx, markColumn }: HeadProps) {
  return (
    <div role="rowgroup" className={css.head} style={headPx > 0 ? { height: headPx } : undefined}>
      <div role="row" className={css.columns} aria-rowindex={1}>
        {markColumn !== undefined && (
          <span role="columnheader" className={css.markHead}>
            {markColumn}
          </span>
        )}
        {columns.map(({ name, className, isFigure = false }) => (
          <span
            key={name}
            role="columnheader"
            className={isFigure ? `${className} ${figureCss.figure}` : className}
            title={name}
          >
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

function Mark<Row extends { id: string }>({ row, marks }: { row: Row; marks: Marks<Row> }) {
  return (
    // The row opens by a press, but not here.
    <span role="gridcell" className={css.mark} onClick={(event) => event.stopPropagation()}>
      <label className={css.markLabel}>
        <input
          type="checkbox"
          // The grid has the focus; the key of the screen selects.
          tabIndex={-1}
          aria-label={marks.nameOf(row)}
          checked={marks.has(row.id)}
          onChange={({ nativeEvent }) => {
            marks.onMark(row.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey);
          }}
        />
      </label>
    </span>
  );
}

interface CellProps {
  className: string | undefined;
  text: string;
}

export function TextCell({ className, text }: CellProps) {
  return (
    <span role="gridcell" className={className} title={text}>
      <bdi>{text}</bdi>
    </span>
  );
}

/** An amount, a count or a quantity. `isQuiet`: another figure of the row is the one that counts. */
export function FigureCell({ className, text, isQuiet }: CellProps & { isQuiet?: boolean }) {
  return (
    <span role="gridcell" className={`${className} ${figureCss.figure}`} data-quiet={isQuiet} title={text}>
      {text}
    </span>
  );
}

/** Whether the window shows cards. */
export function useIsCards(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(CARDS);
      query.addEventListener('change', changed);
      return () => {
        query.removeEventListener('change', changed);
      };
    },
    () => window.matchMedia(CARDS).matches,
  );
}

function rowId(id: string | undefined): string {
  return `row-${id ?? ''}`;
}

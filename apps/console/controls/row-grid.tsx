import { type ReactNode, useSyncExternalStore } from 'react';
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
}

interface Props<Row extends { id: string }> extends ListedRows<Row> {
  label: string;
  /** Has `--columns`, the widths of the columns, and `--card`, the places of the cells on a card. */
  className: string;
  columns: readonly Column[];
  cardPx: number;
  total: number;
  onOpen: (id: string) => void;
  /** The cells of a row, with the class names of their columns. */
  cells: (row: Row) => ReactNode;
}

/** A grid of real elements, of which only those on the screen exist. Another height is another list. */
export function RowGrid<Row extends { id: string }>(props: Props<Row>) {
  const isCards = useIsCards();
  const [rowPx, headPx] = isCards ? [props.cardPx, 0] : [ROW_PX, HEAD_PX];
  return <Grid key={String(isCards)} {...{ rowPx, headPx }} {...props} />;
}

interface Heights {
  rowPx: number;
  headPx: number;
}

/** The grid itself scrolls: what scrolls must be what the keys can reach. */
function Grid<Row extends { id: string }>({ rowPx, headPx, ...props }: Props<Row> & Heights) {
  const { rows, selectedId, total, label, className, columns, onOpen, cells } = props;
  const { scroller, shown, heightPx, isSelected } = useRowWindow(props, rowPx, headPx);
  return (
    <div
      ref={scroller}
      role="grid"
      className={`${css.grid} ${className}`}
      tabIndex={0}
      aria-label={label}
      aria-rowcount={total + 1}
      aria-activedescendant={isSelected ? rowId(selectedId) : undefined}
    >
      <Head columns={columns} headPx={headPx} />
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
                {cells(row)}
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function Head({ columns, headPx }: { columns: readonly Column[]; headPx: number }) {
  return (
    <div role="rowgroup" className={css.head} style={headPx > 0 ? { height: headPx } : undefined}>
      <div role="row" className={css.columns} aria-rowindex={1}>
        {columns.map(({ name, className }) => (
          <span key={name} role="columnheader" className={className} title={name}>
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

export function TextCell({ className, text }: { className: string | undefined; text: string }) {
  return (
    <span role="gridcell" className={className} title={text}>
      <bdi>{text}</bdi>
    </span>
  );
}

function useIsCards(): boolean {
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

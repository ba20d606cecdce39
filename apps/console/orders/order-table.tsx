import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { PipelineRow } from '@offizin/contracts/pipeline';
import { useSession } from '../shell/session.calls';
import type { OrderChange } from './order-change';
import { OrderRow } from './order-row';
import { useOrderTexts } from './order-texts';
import css from './order-table.module.css';

/** Heights of a row in px; order-table.module.css has the same. */
const ROW_PX = 44;
const CARD_PX = 92;
/** Rows from the end at which the next page is asked for. */
const AHEAD_ROWS = 40;
/** Below it a row is a card of three lines; order-table.module.css has the same. */
const CARDS = '(max-width: 719px)';

interface Props {
  rows: readonly PipelineRow[];
  decided: ReadonlyMap<string, OrderChange>;
  total: number;
  selectedId: string | undefined;
  hasMore: boolean;
  onMore: () => void;
  onOpen: (id: string) => void;
}

/** A grid of real elements, of which only those on the screen exist. Another height is another list. */
export function OrderTable(props: Props) {
  const isCards = useIsCards();
  return <Grid key={String(isCards)} rowPx={isCards ? CARD_PX : ROW_PX} {...props} />;
}

function Grid({
  rows,
  decided,
  total,
  selectedId,
  hasMore,
  onMore,
  onOpen,
  rowPx,
}: Props & { rowPx: number }) {
  const texts = useOrderTexts();
  const { shops } = useSession();
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- there is no React Compiler here
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  const shown = virtual.getVirtualItems();
  useMore(shown.at(-1)?.index ?? 0, rows.length, hasMore, onMore);
  const isSelected = useSelection(rows, selectedId, virtual);
  return (
    <div
      role="grid"
      className={css.table}
      data-shops={shops.length > 1}
      tabIndex={0}
      aria-label={texts.listLabel}
      aria-rowcount={total + 1}
      aria-activedescendant={isSelected ? rowId(selectedId) : undefined}
    >
      <Columns />
      <div ref={scroller} role="rowgroup" className={css.scroller}>
        <div role="presentation" className={css.canvas} style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <OrderRow
                  key={row.id}
                  id={rowId(row.id)}
                  row={row}
                  change={decided.get(row.id)}
                  isSelected={row.id === selectedId}
                  place={index + 2}
                  top={start}
                  onOpen={() => onOpen(row.id)}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Scrolls to the selection when it moves; whether it is in the list. */
function useSelection(
  rows: readonly PipelineRow[],
  selectedId: string | undefined,
  virtual: { scrollToIndex: (index: number, options: { align: 'auto' }) => void },
): boolean {
  const selected = rows.findIndex(({ id }) => id === selectedId);
  useEffect(() => {
    if (selected >= 0) virtual.scrollToIndex(selected, { align: 'auto' });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- news above the selection must not move what is read
  }, [selectedId]);
  return selected >= 0;
}

/** Asks for the next page before its rows are needed. */
function useMore(lastShown: number, rowCount: number, hasMore: boolean, onMore: () => void): void {
  useEffect(() => {
    if (hasMore && lastShown > rowCount - AHEAD_ROWS) onMore();
  }, [hasMore, lastShown, rowCount, onMore]);
}

const COLUMNS = [
  ...(['number', 'customer', 'status', 'shop', 'lines', 'total', 'payment', 'delivery', 'age'] as const),
];

function Columns() {
  const texts = useOrderTexts();
  return (
    <div role="rowgroup" className={css.head}>
      <div role="row" className={css.columns} aria-rowindex={1}>
        {COLUMNS.map((column) => (
          <span key={column} role="columnheader" className={css[column]} title={texts.column[column]}>
            {texts.column[column]}
          </span>
        ))}
      </div>
    </div>
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
  return `order-${id ?? ''}`;
}

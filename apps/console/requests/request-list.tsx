import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { ReviewRow } from '@offizin/contracts/review';
import { useTexts } from '../text/texts';
import { RequestRow, rowId } from './request-row';
import styles from './request-list.module.css';

/** Height of a row in px; request-list.module.css has the same. */
const ROW_PX = 76;
/** Rows from the end at which the next page is asked for. */
const AHEAD_ROWS = 40;

interface Props {
  rows: readonly ReviewRow[];
  total: number;
  selectedId: string | undefined;
  hasMore: boolean;
  onMore: () => void;
  onOpen: (id: string) => void;
}

/** The inbox: a list box of real elements, of which only those on the screen exist. */
export function RequestList({ rows, total, selectedId, hasMore, onMore, onOpen }: Props) {
  const texts = useTexts();
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- there is no React Compiler here
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  const shown = virtual.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown > rows.length - AHEAD_ROWS) onMore();
  }, [hasMore, lastShown, rows.length, onMore]);

  const rowsMoved = useMovedRows(rows);
  useLayoutEffect(() => {
    const scrolledPx = scroller.current?.scrollTop ?? 0;
    scroller.current?.scrollBy(0, rowsMoved(scrolledPx) * ROW_PX);
  }, [rowsMoved]);

  const selected = rows.findIndex(({ id }) => id === selectedId);
  useEffect(() => {
    if (selected >= 0) virtual.scrollToIndex(selected, { align: 'auto' });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- news above the selection must not move what is read
  }, [selectedId]);

  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="listbox"
      tabIndex={0}
      aria-label={texts.requests.listLabel}
      aria-activedescendant={selectedId !== undefined && selected >= 0 ? rowId(selectedId) : undefined}
    >
      <div className={styles.canvas} style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return (
            row && (
              <RequestRow
                key={row.id}
                row={row}
                isSelected={row.id === selectedId}
                position={index + 1}
                total={total}
                top={start}
                onOpen={onOpen}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** By how many rows the first visible one has moved since the list before, so that it stays where it is read. */
function useMovedRows(rows: readonly ReviewRow[]): (scrolledPx: number) => number {
  const before = useRef(rows);
  return useCallback(
    (scrolledPx) => {
      const was = Math.ceil(scrolledPx / ROW_PX);
      const anchor = before.current[was];
      const now = rows.findIndex(({ id }) => id === anchor?.id);
      before.current = rows;
      return now < 0 || scrolledPx === 0 ? 0 : now - was;
    },
    [rows],
  );
}

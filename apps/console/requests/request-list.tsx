import { useCallback, useLayoutEffect, useRef } from 'react';
import type { ReviewRow } from '@offizin/contracts/review';
import { type ListedRows, useRowWindow } from '../controls/row-window';
import { useTexts } from '../text/texts';
import { RequestRow, rowId } from './request-row';
import styles from './request-list.module.css';

/** Height of a row in px; request-list.module.css has the same. */
const ROW_PX = 76;

interface Props extends ListedRows<ReviewRow> {
  total: number;
  onOpen: (id: string) => void;
}

/** The inbox: a list box of real elements, of which only those on the screen exist. */
export function RequestList({ total, onOpen, ...list }: Props) {
  const texts = useTexts();
  const { scroller, shown, heightPx, isSelected } = useRowWindow(list, ROW_PX);
  const { rows, selectedId } = list;

  const rowsMoved = useMovedRows(rows);
  useLayoutEffect(() => {
    const scrolledPx = scroller.current?.scrollTop ?? 0;
    scroller.current?.scrollBy(0, rowsMoved(scrolledPx) * ROW_PX);
  }, [rowsMoved, scroller]);

  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="listbox"
      tabIndex={0}
      aria-label={texts.requests.listLabel}
      aria-activedescendant={selectedId !== undefined && isSelected ? rowId(selectedId) : undefined}
    >
      <div className={styles.canvas} style={{ height: heightPx }}>
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

import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef } from 'react';

/** Rows from the end at which the next page is asked for. */
const AHEAD_ROWS = 40;
/** So many rows are asked for in search of the open one, which the list may not have. */
const SEARCHED_ROWS = 1_000;

export interface ListedRows<Row extends { id: string }> {
  rows: readonly Row[];
  selectedId: string | undefined;
  /** What the rows are pages of. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

interface RowWindow {
  scroller: RefObject<HTMLDivElement | null>;
  shown: readonly VirtualItem[];
  /** Of all rows. */
  heightPx: number;
  /** The selection is in the list. */
  isSelected: boolean;
}

/** The rows of a long list that exist as elements; the next page is asked for before its rows are needed. */
export function useRowWindow<Row extends { id: string }>(
  { rows, selectedId, list }: ListedRows<Row>,
  rowPx: number,
  /** Of what stays above the rows inside the scroller. */
  headPx = 0,
): RowWindow {
  const { fetchNextPage } = list;
  const hasMore = list.hasNextPage && !list.isFetchingNextPage;
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- there is no React Compiler here
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
    scrollMargin: headPx,
    scrollPaddingStart: headPx,
  });
  const shown = virtual.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown > rows.length - AHEAD_ROWS) void fetchNextPage();
  }, [hasMore, lastShown, rows.length, fetchNextPage]);
  const selected = rows.findIndex(({ id }) => id === selectedId);
  const isSelected = selected >= 0;
  const scrolledTo = useRef<string>(undefined);
  useEffect(() => {
    if (!isSelected || scrolledTo.current === selectedId) return;
    scrolledTo.current = selectedId;
    virtual.scrollToIndex(selected, { align: 'auto' });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- news above the selection must not move what is read
  }, [selectedId, isSelected]);
  useEffect(() => {
    // After a reload the open row may be on a later page. One that has left the list is not searched.
    const isSought = selectedId !== undefined && !isSelected && scrolledTo.current !== selectedId;
    if (isSought && hasMore && rows.length > 0 && rows.length < SEARCHED_ROWS) void fetchNextPage();
  }, [selectedId, isSelected, hasMore, rows.length, fetchNextPage]);
  return { scroller, shown, heightPx: virtual.getTotalSize(), isSelected };
}

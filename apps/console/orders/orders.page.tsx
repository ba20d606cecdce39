import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { OrderCounts, PipelineRow } from '@offizin/contracts/pipeline';
import { Button } from '../controls/button';
import { EmptyState } from '../controls/empty-state';
import { News } from '../live/news';
import { useQuietRows } from '../live/use-quiet-rows';
import { Fault } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useSession } from '../shell/session.calls';
import { useWayBack } from '../shell/way-back';
import { useTexts } from '../text/texts';
import { OpenOrder } from './open-order';
import { OrderFilters } from './order-filters';
import { filtersOf, isFiltered, NO_FILTER, type OrderSearch } from './order-search';
import { OrderTable } from './order-table';
import { useOrderTexts } from './order-texts';
import { orderCounts, orderList } from './orders.calls';
import { useChanges } from './use-changes';
import css from './orders.module.css';

const route = getRouteApi('/inside/orders');

/** The pipeline: orders by status, and one of them beside the list. The address holds filter, sort and the open order. */
export function OrdersPage() {
  const texts = useOrderTexts();
  const { search, open, back, show } = useAddress();
  const { org } = useSession();
  const filters = filtersOf(search);
  const list = useInfiniteQuery(orderList(org.id, filters));
  const { data: counts } = useQuery(orderCounts(org.id, search.shop));
  const changes = useChanges(back);
  const all = useMemo(() => (list.data?.pages ?? []).flatMap(({ data }) => data), [list.data]);
  const { rows, waiting, showAll } = useQuietRows(JSON.stringify(filters), all);
  const cursor = useCursor(rows, search.id, open);
  useListKeys(rows, cursor, open);
  const isEmpty = list.isSuccess && rows.length === 0;
  return (
    <div className={css.page} data-open={search.id !== undefined}>
      <section className={css.list}>
        <OrderFilters
          search={search}
          counts={counts}
          total={list.data?.pages[0]?.total}
          news={<News count={waiting} name={texts.news(waiting)} does={texts.showNews} onShow={showAll} />}
          onChange={show}
        />
        {list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
        {list.isPending && <GhostRows />}
        {isEmpty ? (
          <Empty {...{ search, counts }} onClear={() => show(NO_FILTER)} />
        ) : (
          <OrderTable
            rows={rows}
            decided={changes.decided}
            total={list.data?.pages[0]?.total ?? 0}
            selectedId={cursor.id}
            hasMore={list.hasNextPage && !list.isFetchingNextPage}
            onMore={() => void list.fetchNextPage()}
            onOpen={open}
          />
        )}
      </section>
      {search.id !== undefined && (
        <OpenOrder key={search.id} id={search.id} changes={changes} onClose={() => open(undefined)} />
      )}
    </div>
  );
}

/** Reads and writes the address. Opening an order adds a step for "back"; a filter adds none. */
function useAddress() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const open = useCallback(
    (id: string | undefined) => void navigate({ search: (before) => ({ ...before, id }) }),
    [navigate],
  );
  const show = (change: Partial<OrderSearch>) =>
    void navigate({ search: (before) => ({ ...before, id: undefined, ...change }), replace: true });
  const back = useWayBack('/orders');
  return { search, open, back, show };
}

interface Cursor {
  id: string | undefined;
  /** -1 when the row is not in the list. */
  place: number;
  move: (id: string) => void;
}

/** The row that the keys are on: the open order, or where j and k have gone without opening one. */
function useCursor(
  rows: readonly PipelineRow[],
  openId: string | undefined,
  open: (id: string) => void,
): Cursor {
  const [at, setAt] = useState<string | undefined>(openId);
  const id = openId ?? at;
  const move = (to: string) => {
    setAt(to);
    if (openId !== undefined) open(to);
  };
  if (openId !== undefined && openId !== at) setAt(openId);
  return { id, place: rows.findIndex((row) => row.id === id), move };
}

function useListKeys(
  rows: readonly PipelineRow[],
  { id, place, move }: Cursor,
  open: (id: string | undefined) => void,
): void {
  const texts = useOrderTexts();
  const step = (by: number) => () => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, place + by))];
    if (row) move(row.id);
  };
  const enter = () => {
    if (id !== undefined) open(id);
  };
  useKeys('page', [
    { keys: 'j', does: texts.next, run: step(1), repeats: true },
    { keys: 'k', does: texts.previous, run: step(-1), repeats: true },
    { keys: 'ArrowDown', does: texts.next, run: step(1), repeats: true, hidden: true },
    { keys: 'ArrowUp', does: texts.previous, run: step(-1), repeats: true, hidden: true },
    { keys: 'Enter', does: texts.openOne, run: enter },
    { keys: 'Escape', does: texts.back, run: () => open(undefined) },
  ]);
}

/** In the final height of the rows; they appear after a moment, so that a fast answer does not flicker. */
function GhostRows() {
  return (
    <div className={css.ghosts} aria-hidden>
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} className={css.ghost} />
      ))}
    </div>
  );
}

interface EmptyProps {
  search: OrderSearch;
  counts: OrderCounts | undefined;
  onClear: () => void;
}

/** Three kinds of nothing: none at all, none under this filter, none of this status. */
function Empty({ search, counts, onClear }: EmptyProps) {
  const texts = useOrderTexts();
  const { filters } = useTexts();
  if (isFiltered(search)) {
    return (
      <EmptyState title={texts.emptyFiltered}>
        <Button onPress={onClear}>{filters.clear}</Button>
      </EmptyState>
    );
  }
  const isNew = counts !== undefined && Object.values<number>({ ...counts }).every((count) => count === 0);
  return <EmptyState title={isNew || search.status === undefined ? texts.emptyNone : texts.emptyStatus} />;
}

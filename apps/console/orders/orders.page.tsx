import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { OrderCounts } from '@offizin/contracts/pipeline';
import { EmptyList, ListPage } from '../controls/list-page';
import { News } from '../live/news';
import { useQuietRows } from '../live/use-quiet-rows';
import { Fault } from '../shell/fault';
import { useListAddress } from '../shell/list-address';
import { useListKeys } from '../shell/list-keys';
import { useSession } from '../shell/session.calls';
import { useWayBack } from '../shell/way-back';
import { OpenOrder } from './open-order';
import { OrderFilters } from './order-filters';
import { filtersOf, isFiltered, NO_FILTER, type OrderSearch } from './order-search';
import { OrderTable } from './order-table';
import { useOrderTexts } from './order-texts';
import { orderCounts, orderList } from './orders.calls';
import { SelectionBar } from './selection-bar';
import { useChanges } from './use-changes';
import { useOrderColumns } from './use-order-columns';
import { useSelection } from '../shell/use-selection';

const route = getRouteApi('/inside/orders');

/** The pipeline: orders by status, and one of them beside the list. The address holds filter, sort and the open order. */
export function OrdersPage() {
  const texts = useOrderTexts();
  const { search, open, show, go } = useListAddress(route.useSearch(), route.useNavigate());
  const { org } = useSession();
  const filters = filtersOf(search);
  const { columns, ofView } = useOrderColumns(search);
  const list = useInfiniteQuery(orderList(org.id, filters));
  const { data: counts } = useQuery(orderCounts(org.id, search.shop));
  const changes = useChanges(useWayBack('/orders'));
  const all = useMemo(() => (list.data?.pages ?? []).flatMap(({ data }) => data), [list.data]);
  const { rows, waiting, showAll } = useQuietRows(JSON.stringify(filters), all);
  const selectedId = useListKeys(rows, search.id, open, texts);
  const selecting = useSelection(rows, { screen: 'orders', cursorId: selectedId, texts: texts.select });
  const isEmpty = list.isSuccess && rows.length === 0;
  const total = list.data?.pages[0]?.total;
  return (
    <ListPage
      head={
        <OrderFilters
          search={search}
          counts={counts}
          total={total}
          columns={columns}
          ofView={ofView}
          onShow={go}
          news={<News count={waiting} name={texts.news(waiting)} does={texts.showNews} onShow={showAll} />}
          onChange={show}
        />
      }
      fault={list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
      isLoading={list.isPending}
      empty={isEmpty ? <Empty search={search} counts={counts} onClear={() => show(NO_FILTER)} /> : null}
      table={
        <OrderTable
          rows={rows}
          selectedId={selectedId}
          selecting={selecting}
          columns={columns}
          decided={changes.decided}
          total={total ?? 0}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          onMore={() => void list.fetchNextPage()}
          onOpen={open}
        />
      }
      foot={
        selecting.selection.size > 0 && (
          <SelectionBar selecting={selecting} hasKeys={search.id === undefined} />
        )
      }
      detail={
        search.id !== undefined && (
          <OpenOrder key={search.id} id={search.id} changes={changes} onClose={() => open(undefined)} />
        )
      }
    />
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
  if (isFiltered(search)) return <EmptyList title={texts.emptyFiltered} onClear={onClear} />;
  const isNew = counts !== undefined && Object.values<number>({ ...counts }).every((count) => count === 0);
  const title = isNew || search.status === undefined ? texts.emptyNone : texts.emptyStatus;
  return <EmptyList title={title} onClear={null} />;
}

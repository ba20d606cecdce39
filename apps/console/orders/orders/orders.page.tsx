import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { OrderCounts, PipelineRow } from '@offizin/contracts/orders/pipeline';
import type { OrderColumn } from '@offizin/contracts/console/views';
import { ActionBar } from '../../controls/action-bar';
import { Button } from '../../controls/button';
import { EmptyList } from '../../controls/empty-state';
import { ListPage } from '../../controls/list-page';
import { News } from '../../live/news';
import { useQuietRows } from '../../live/use-quiet-rows';
import { Fault } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import { useListAddress } from '../../lists/list-address';
import { useListKeys } from '../../keyboard/list-keys';
import { usePreferences } from '../../session/preferences';
import { SelectionButtons, useAskedRows } from '../../lists/selection-buttons';
import { type Selecting, useSelection } from '../../lists/use-selection';
import { useWayBack } from '../../lists/way-back';
import { useFormats } from '../../text/texts';
import { viewsQuery } from '../../views/views.calls';
import { OpenOrder } from './open-order';
import { columnsIn } from './order-columns';
import { OrderFilters } from './order-filters';
import { filtersOf, isFiltered, NO_FILTER, type OrderSearch } from './order-search';
import { OrderTable } from './order-table';
import { useOrderTexts } from './order-texts';
import { orderCounts, orderList } from './orders.calls';
import { useChanges } from './use-changes';

const route = getRouteApi('/inside/orders');

/** The pipeline: orders by status, and one of them beside the list. The address holds filter, sort and the open order. */
export default function OrdersPage() {
  const texts = useOrderTexts();
  const { search, open, show, go } = useListAddress(route.useSearch(), route.useNavigate());
  const filters = filtersOf(search);
  const { columns, ofView } = useOrderColumns(search);
  const list = useInfiniteQuery(orderList(filters));
  const { data: counts } = useQuery(orderCounts(filters));
  const changes = useChanges(useWayBack('/orders'));
  const all = useMemo(() => (list.data?.pages ?? []).flatMap(({ data }) => data), [list.data]);
  const { rows, waiting, showAll } = useQuietRows(JSON.stringify(filters), all);
  const selectedId = useListKeys(rows, search.id, open, texts);
  const selecting = useSelection(rows, {
    screen: 'orders',
    cursorId: selectedId,
    isLoaded: list.isSuccess && !list.isPlaceholderData,
    texts: texts.select,
  });
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

interface ChosenColumns {
  /** Empty: the usual ones. */
  columns: readonly OrderColumn[];
  /** A view of the person is on the screen, and has the columns. */
  ofView: boolean;
}

/** The columns of the address, else of its view, else of the person. */
function useOrderColumns({ columns, view: viewId }: OrderSearch): ChosenColumns {
  const { order_columns: ofPerson } = usePreferences();
  const { data: views } = useQuery({ ...viewsQuery('orders'), enabled: viewId !== undefined });
  const view = viewId === undefined ? undefined : views?.find(({ id }) => id === viewId);
  return { columns: columnsIn(columns) ?? view?.columns ?? ofPerson, ofView: view !== undefined };
}

const BulkDialog = lazy(() => import('./bulk-dialog'));

interface Props {
  selecting: Selecting<PipelineRow>;
  /** An open order owns the keys of these acts. */
  hasKeys: boolean;
}

/** What can be done with the selected orders together. */
function SelectionBar({ selecting, hasKeys }: Props) {
  const texts = useOrderTexts();
  const formats = useFormats();
  const navigate = useNavigate();
  const words = { tooMany: texts.select.tooMany, offline: texts.blockedOffline };
  const { asked, tooMany, blocked, ask, done } = useAskedRows(selecting, words);
  const count = selecting.selection.size;
  const print = (kind: 'slip' | 'label') => {
    if (tooMany === null)
      void navigate({ to: '/print', search: { kind, ids: [...selecting.selection.keys()].join(',') } });
  };
  const keyed = (keys: string) => (hasKeys ? { shortcut: keys } : {});
  useKeys(
    'page',
    hasKeys
      ? [
          { keys: 's', does: texts.nextStatus, run: ask },
          { keys: 'p', does: texts.printSlip, run: () => print('slip') },
          { keys: 'l', does: texts.printLabel, run: () => print('label') },
        ]
      : [],
  );
  return (
    <>
      <ActionBar label={texts.select.acts(count, formats.number(count))} blocked={blocked}>
        <Button kind="main" {...keyed('s')} isDisabled={blocked !== null} onPress={ask}>
          {texts.nextStatus}
        </Button>
        <Button {...keyed('p')} isDisabled={tooMany !== null} onPress={() => print('slip')}>
          {texts.printSlip}
        </Button>
        <Button {...keyed('l')} isDisabled={tooMany !== null} onPress={() => print('label')}>
          {texts.printLabel}
        </Button>
        <SelectionButtons selecting={selecting} texts={texts.select} />
      </ActionBar>
      <Suspense>{asked && <BulkDialog rows={asked} onClose={done} />}</Suspense>
    </>
  );
}

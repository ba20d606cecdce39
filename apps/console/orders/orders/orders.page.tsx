import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { OrderCounts, PipelineRow } from '@offizin/contracts/orders/pipeline';
import type { OrderColumn } from '@offizin/contracts/console/views';
import type { KeyedAct } from '../../controls/action-bar';
import { Button } from '../../controls/button';
import { EmptyList, EmptyState } from '../../controls/empty-state';
import { ListPage } from '../../lists/list-page';
import { News } from '../../live/news';
import { useQuietRows } from '../../live/use-quiet-rows';
import { type ListAddress, useListAddress } from '../../lists/list-address';
import { useListKeys } from '../../keyboard/list-keys';
import { usePreferences } from '../../session/preferences';
import { useSession } from '../../session/session.calls';
import { SelectionBar, useAskedRows } from '../../lists/selection-bar';
import { type Selecting, useSelection } from '../../lists/use-selection';
import { useWayBack } from '../../lists/way-back';
import { viewsQuery } from '../../views/views.calls';
import { OpenOrder } from './open-order';
import { columnsIn } from './order-columns';
import { OrderFilters } from './order-filters';
import { filtersOf, NO_FILTER, type OrderSearch } from './order-search';
import { OrderTable } from './order-table';
import { useOrderTexts } from './order-texts';
import { orderCounts, orderList } from './orders.calls';
import { useChanges } from './use-changes';

const route = getRouteApi('/inside/orders');

/**
 * The pipeline: orders by status, and one of them beside the list. The address holds filter, sort and the open order.
 */
export default function OrdersPage() {
  const texts = useOrderTexts();
  const address = useListAddress(route.useSearch(), route.useNavigate(), NO_FILTER);
  const { search, open } = address;
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
    one: texts.select.one,
  });
  const isEmpty = list.isSuccess && rows.length === 0;
  const total = list.data?.pages[0]?.total;
  return (
    <ListPage
      head={
        <OrderFilters
          address={address}
          counts={counts}
          total={total}
          columns={columns}
          ofView={ofView}
          news={<News count={waiting} name={texts.news(waiting)} does={texts.showNews} onShow={showAll} />}
        />
      }
      list={list}
      empty={isEmpty ? <Empty address={address} counts={counts} /> : null}
      table={
        <OrderTable
          rows={rows}
          selectedId={selectedId}
          selecting={selecting}
          columns={columns}
          decided={changes.decided}
          total={total ?? 0}
          list={list}
          onOpen={open}
        />
      }
      foot={
        selecting.selection.size > 0 && <OrderBar selecting={selecting} hasKeys={search.id === undefined} />
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
  address: ListAddress<OrderSearch>;
  counts: OrderCounts | undefined;
}

/** Three empty states: none at all, none under this filter, none of this status. */
function Empty({ address: { search, show, onClear }, counts }: EmptyProps) {
  const texts = useOrderTexts();
  const { scopes } = useSession();
  if (onClear) return <EmptyList title={texts.emptyFiltered} onClear={onClear} />;
  const isNew = counts !== undefined && Object.values<number>({ ...counts }).every((count) => count === 0);
  if (isNew || search.status === undefined)
    return (
      <EmptyState title={texts.emptyNone} hint={texts.emptyNoneHint}>
        {scopes.includes('order_requests.read') && <Link to="/requests">{texts.toRequests}</Link>}
      </EmptyState>
    );
  return (
    <EmptyState title={texts.emptyStatus} hint={texts.emptyStatusHint}>
      <Button onPress={() => show({ status: undefined })}>{texts.showAll}</Button>
    </EmptyState>
  );
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
function OrderBar({ selecting, hasKeys }: Props) {
  const texts = useOrderTexts();
  const navigate = useNavigate();
  const { asked, tooMany, blocked, ask, done } = useAskedRows(selecting, texts);
  const print = (kind: 'slip' | 'label') =>
    void navigate({ to: '/print', search: { kind, ids: [...selecting.selection.keys()].join(',') } });
  const acts: KeyedAct[] = [
    { keys: 's', does: texts.nextStatus, kind: 'main', can: blocked === null, run: ask },
    { keys: 'p', does: texts.printSlip, can: tooMany === null, run: () => print('slip') },
    { keys: 'l', does: texts.printLabel, can: tooMany === null, run: () => print('label') },
  ];
  return (
    <>
      <SelectionBar
        selecting={selecting}
        texts={texts.select}
        blocked={blocked}
        acts={acts}
        hasKeys={hasKeys}
      />
      <Suspense>{asked && <BulkDialog rows={asked} onClose={done} />}</Suspense>
    </>
  );
}

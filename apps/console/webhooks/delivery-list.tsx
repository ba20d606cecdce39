import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyList, ListPage } from '../controls/list-page';
import { useSelection } from '../shell/use-selection';
import { Fault } from '../shell/fault';
import { useListKeys } from '../shell/list-keys';
import { useSession } from '../shell/session.calls';
import { DeliveryPane } from './delivery-pane';
import type { DeliverySearch } from './delivery-search';
import { DeliverySelection } from './delivery-selection';
import { DeliveryTable } from './delivery-table';
import { useWebhookTexts } from './webhook-texts';
import { deliveryList } from './webhooks.calls';

interface Props {
  /** Undefined: of every endpoint. */
  webhookId: string | undefined;
  /** Addresses of the endpoints, by their ids. */
  urls: ReadonlyMap<string, string>;
  filters: DeliverySearch;
  head: ReactNode;
  /** Takes the filters away; null without filters. */
  onClear: (() => void) | null;
  openId: string | undefined;
  onOpen: (id: string | undefined) => void;
}

/** Deliveries of one endpoint or of all, one of them beside the list, and what can be done with many. */
export function DeliveryList({ webhookId, urls, filters, head, onClear, openId, onOpen }: Props) {
  const texts = useWebhookTexts();
  const { org } = useSession();
  const list = useInfiniteQuery(deliveryList(org.id, webhookId, filters));
  const rows = (list.data?.pages ?? []).flatMap(({ data }) => data);
  const cursorId = useListKeys(rows, openId, onOpen, texts);
  const screen = `deliveries ${webhookId ?? 'of all'}`;
  const selecting = useSelection(rows, { screen, cursorId, texts: texts.select });
  const isEmpty = list.isSuccess && rows.length === 0;
  return (
    <ListPage
      head={head}
      fault={list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
      isLoading={list.isPending}
      empty={
        isEmpty ? (
          <EmptyList title={onClear ? texts.noneFiltered : texts.noDeliveries} onClear={onClear} />
        ) : null
      }
      table={
        <DeliveryTable
          rows={rows}
          selecting={selecting}
          selectedId={cursorId}
          urls={webhookId === undefined ? urls : null}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          onMore={() => void list.fetchNextPage()}
          onOpen={onOpen}
        />
      }
      foot={
        selecting.selection.size > 0 && (
          <DeliverySelection selecting={selecting} hasKeys={openId === undefined} />
        )
      }
      detail={
        openId !== undefined && (
          <DeliveryPane key={openId} id={openId} urls={urls} onClose={() => onOpen(undefined)} />
        )
      }
    />
  );
}

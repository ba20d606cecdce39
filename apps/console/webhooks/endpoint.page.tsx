import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router';
import { EmptyList, ListPage } from '../controls/list-page';
import { Fault } from '../shell/fault';
import { useListKeys } from '../shell/list-keys';
import { useSession } from '../shell/session.calls';
import { DeliveryPane } from './delivery-pane';
import { DeliveryFiltersHead } from './delivery-filters';
import { type DeliverySearch, isFiltered, NO_FILTER, readDeliverySearch } from './delivery-search';
import { DeliveryTable } from './delivery-table';
import { EndpointHead } from './endpoint-head';
import { useWebhookTexts } from './webhook-texts';
import { deliveryList, type Webhook, webhookDetail } from './webhooks.calls';

const route = getRouteApi('/inside/webhooks/$webhookId');

/** One endpoint with its deliveries, and one of them beside the list. The address holds filters and the open delivery. */
export function EndpointPage() {
  const { org } = useSession();
  const { webhookId } = route.useParams();
  const { data: webhook, error, refetch } = useQuery(webhookDetail(org.id, webhookId));
  if (webhook) return <Deliveries webhook={webhook} />;
  return error && <Fault error={error} onAgain={() => void refetch()} />;
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const texts = useWebhookTexts();
  const { org } = useSession();
  const { search, openId, open, show } = useAddress(webhook.id);
  const list = useInfiniteQuery(deliveryList(org.id, webhook.id, search));
  const rows = (list.data?.pages ?? []).flatMap(({ data }) => data);
  const selectedId = useListKeys(rows, openId, open, texts);
  const isEmpty = list.isSuccess && rows.length === 0;
  return (
    <ListPage
      head={
        <>
          <EndpointHead webhook={webhook} />
          <DeliveryFiltersHead search={search} onChange={show} />
        </>
      }
      fault={list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
      isLoading={list.isPending}
      empty={
        isEmpty ? (
          <EmptyList
            title={isFiltered(search) ? texts.noneFiltered : texts.noDeliveries}
            onClear={isFiltered(search) ? () => show(NO_FILTER) : null}
          />
        ) : null
      }
      table={
        <DeliveryTable
          {...{ rows, selectedId }}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          onMore={() => void list.fetchNextPage()}
          onOpen={open}
        />
      }
      detail={
        openId !== undefined && (
          <DeliveryPane key={openId} id={openId} url={webhook.url} onClose={() => open(undefined)} />
        )
      }
    />
  );
}

function useAddress(webhookId: string) {
  const search = route.useSearch();
  const { deliveryId: openId } = useParams({ strict: false });
  const navigate = useNavigate();
  const to = '/webhooks/$webhookId';
  const open = (deliveryId: string | undefined) =>
    void (deliveryId === undefined
      ? navigate({ to, params: { webhookId }, search })
      : navigate({ to: `${to}/deliveries/$deliveryId`, params: { webhookId, deliveryId }, search }));
  const show = (change: Partial<DeliverySearch>) =>
    void navigate({
      to,
      params: { webhookId },
      search: (before) => ({ ...readDeliverySearch(before), ...change }),
      replace: true,
    });
  return { search, openId, open, show };
}

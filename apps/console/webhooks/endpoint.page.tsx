import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router';
import { Fault } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { DeliveryFiltersHead } from './delivery-filters';
import { DeliveryList } from './delivery-list';
import { type DeliverySearch, isFiltered, NO_FILTER, readDeliverySearch } from './delivery-search';
import { EndpointHead } from './endpoint-head';
import { type Webhook, webhookDetail } from './webhooks.calls';

const route = getRouteApi('/inside/webhooks/$webhookId');

/** One endpoint with its deliveries, and one of them beside the list. The address holds filters and the open delivery. */
export function EndpointPage() {
  const { org } = useSession();
  const { webhookId } = route.useParams();
  const { data: webhook, error, refetch } = useQuery(webhookDetail(org.id, webhookId));
  if (webhook) return <Deliveries key={webhookId} webhook={webhook} />;
  return error && <Fault error={error} onAgain={() => void refetch()} />;
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { search, openId, open, show } = useAddress(webhook.id);
  const onClear = isFiltered(search) ? () => show(NO_FILTER) : null;
  return (
    <DeliveryList
      openId={openId}
      onClear={onClear}
      webhookId={webhook.id}
      urls={new Map([[webhook.id, webhook.url]])}
      filters={search}
      onOpen={open}
      head={
        <>
          <EndpointHead webhook={webhook} />
          <DeliveryFiltersHead search={search} onClear={onClear} onChange={show} />
        </>
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

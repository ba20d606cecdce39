import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useListAddress } from '../lists/list-address';
import { Views } from '../views/views';
import { DeliveryFiltersHead } from './delivery-filters';
import { DeliveryList } from './delivery-list';
import { isFiltered, NO_FILTER, readAnyDeliverySearch } from './delivery-search';
import { useWebhookTexts } from './webhook-texts';
import { webhookList } from './webhooks.calls';

const route = getRouteApi('/inside/webhooks/deliveries');

/** Deliveries of every endpoint, such as those of one order. The address holds filters and the open delivery. */
export default function DeliveriesPage() {
  const texts = useWebhookTexts();
  const { search, open, show, go } = useListAddress(route.useSearch(), route.useNavigate());
  const { data: webhooks = [] } = useQuery(webhookList);
  const { id, endpoint, ...filters } = search;
  const isAny = endpoint !== undefined || isFiltered(filters);
  const onClear = isAny ? () => show({ ...NO_FILTER, endpoint: undefined }) : null;
  return (
    <DeliveryList
      // Each endpoint has a separate selection.
      key={endpoint ?? ''}
      filters={filters}
      onClear={onClear}
      webhookId={endpoint}
      urls={new Map(webhooks.map((webhook) => [webhook.id, webhook.url]))}
      openId={id}
      onOpen={open}
      head={
        <DeliveryFiltersHead
          search={filters}
          onClear={onClear}
          onChange={show}
          views={
            <Views
              screen="deliveries"
              address={{ ...search }}
              onShow={(address, isStep) => go(readAnyDeliverySearch(address), isStep)}
            />
          }
          besideTitle={<Link to="/webhooks">{texts.toList}</Link>}
          pickers={[
            {
              label: texts.endpoint,
              choices: [
                { id: '', name: texts.toList },
                ...webhooks.map((webhook) => ({ id: webhook.id, name: webhook.url })),
              ],
              chosen: endpoint ?? '',
              onChoose: (chosen) => show({ endpoint: chosen === '' ? undefined : chosen }),
            },
          ]}
        />
      }
    />
  );
}

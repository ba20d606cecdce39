import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { filterPicker } from '../controls/picker';
import { useListAddress } from '../lists/list-address';
import { Views } from '../views/views';
import { DeliveryFiltersHead } from './delivery-filters';
import { DeliveryList } from './delivery-list';
import { NO_FILTER, readAnyDeliverySearch } from './delivery-search';
import { useWebhookTexts } from './webhook-texts';
import { webhookList } from './webhooks.calls';

const route = getRouteApi('/inside/webhooks/deliveries');
const NONE = { ...NO_FILTER, endpoint: undefined };

/** Deliveries of every endpoint, such as those of one order. The address holds filters and the open delivery. */
export default function DeliveriesPage() {
  const texts = useWebhookTexts();
  const { search, open, show, go, onClear } = useListAddress(route.useSearch(), route.useNavigate(), NONE);
  const { data: webhooks = [] } = useQuery(webhookList);
  const { id, endpoint, ...filters } = search;
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
          views={<Views screen="deliveries" address={{ ...search }} read={readAnyDeliverySearch} go={go} />}
          besideTitle={<Link to="/webhooks">{texts.toList}</Link>}
          pickers={[
            filterPicker({
              label: texts.endpoint,
              all: texts.toList,
              choices: webhooks.map((webhook) => ({ id: webhook.id, name: webhook.url })),
              chosen: endpoint,
              onChoose: (chosen) => show({ endpoint: chosen }),
            }),
          ]}
        />
      }
    />
  );
}

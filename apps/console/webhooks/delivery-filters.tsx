import { ListHead } from '../controls/list-head';
import { FilterTabs } from '../controls/filter-tabs';
import { type DeliverySearch, isFiltered, KINDS, NO_FILTER, PERIODS, STATUSES } from './delivery-search';
import { useWebhookTexts } from './webhook-texts';

interface Props {
  search: DeliverySearch;
  onChange: (change: Partial<DeliverySearch>) => void;
}

/** By status, kind, order and time. */
export function DeliveryFiltersHead({ search, onChange }: Props) {
  const texts = useWebhookTexts();
  return (
    <ListHead
      title={texts.deliveries}
      count={undefined}
      news={null}
      tabs={
        <FilterTabs
          folds
          label={texts.statusesLabel}
          tabs={[
            { id: '' as const, name: texts.all },
            ...STATUSES.map((id) => ({ id, name: texts.statuses[id] })),
          ]}
          chosen={search.status ?? ''}
          onChoose={(id) => onChange({ status: id === '' ? undefined : id })}
        />
      }
      search={{ label: texts.orderId, q: search.order, onSearch: (order) => onChange({ order }) }}
      pickers={[
        {
          label: texts.kind,
          choices: [{ id: '', name: texts.everyKind }, ...KINDS.map((id) => ({ id, name: id }))],
          chosen: search.kind ?? '',
          onChoose: (id) => onChange({ kind: KINDS.find((known) => known === id) }),
        },
        {
          label: texts.period,
          choices: [
            { id: '', name: texts.periods.all },
            ...PERIODS.map((id) => ({ id, name: texts.periods[id] })),
          ],
          chosen: search.period ?? '',
          onChoose: (id) => onChange({ period: PERIODS.find((known) => known === id) }),
        },
      ]}
      chips={[]}
      onClear={isFiltered(search) ? () => onChange(NO_FILTER) : null}
    />
  );
}

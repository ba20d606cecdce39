import type { ReactNode } from 'react';
import { ListHead } from '../controls/list-head';
import { FilterTabs } from '../controls/filter-tabs';
import { type Choice, filterPicker } from '../controls/picker';
import { type DeliverySearch, KINDS, PERIODS, STATUSES } from './delivery-search';
import { useWebhookTexts } from './webhook-texts';

interface Props {
  search: DeliverySearch;
  onChange: (change: Partial<DeliverySearch>) => void;
  /** Null without filters. */
  onClear: (() => void) | null;
  /** Such as by endpoint, where deliveries of every one are listed. */
  pickers?: readonly Choice[];
  besideTitle?: ReactNode;
  views?: ReactNode;
  /** Below the head of an endpoint. */
  isPart?: boolean;
}

/** By status, kind, order and time. */
export function DeliveryFiltersHead(props: Props) {
  const { search, onChange, onClear, pickers = [], besideTitle = null, views, isPart = false } = props;
  const texts = useWebhookTexts();
  return (
    <ListHead
      title={texts.deliveries}
      isPart={isPart}
      {...(!isPart && { about: texts.aboutDeliveries })}
      count={undefined}
      views={views}
      news={null}
      act={besideTitle}
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
        ...pickers,
        filterPicker({
          label: texts.kind,
          all: texts.everyKind,
          choices: KINDS.map((id) => ({ id, name: id })),
          chosen: search.kind,
          onChoose: (kind) => onChange({ kind }),
        }),
        filterPicker({
          label: texts.period,
          all: texts.periods.all,
          choices: PERIODS.map((id) => ({ id, name: texts.periods[id] })),
          chosen: search.period,
          onChoose: (period) => onChange({ period }),
        }),
      ]}
      chips={[]}
      onClear={onClear}
    />
  );
}

import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { OrderCounts } from '@offizin/contracts/orders/pipeline';
import type { OrderColumn } from '@offizin/contracts/console/views';
import { Button } from '../../controls/button';
import { FilterTabs } from '../../controls/filter-tabs';
import { ListHead } from '../../controls/list-head';
import { type Choice, filterPicker } from '../../controls/picker';
import { useIsCards } from '../../controls/row-grid';
import { useKeys } from '../../keyboard/keys';
import { SaveList } from '../../lists/save-list';
import type { ListAddress } from '../../lists/list-address';
import { useShopFilter } from '../../lists/list-filters';
import { useFormats, useTexts } from '../../text/texts';
import { Views } from '../../views/views';
import { useViewsTexts } from '../../views/views-texts';
import { columnsText } from './order-columns';
import {
  exportQuery,
  filtersOf,
  ORDER_STATUSES,
  type OrderSearch,
  PAYMENT_STATUSES,
  readOrderSearch,
  SORTS,
  UNPAID_FILTERS,
} from './order-search';
import { useOrderTexts } from './order-texts';
import { orderFile } from './orders.calls';

interface Props {
  news: ReactNode;
  address: ListAddress<OrderSearch>;
  counts: OrderCounts | undefined;
  /** Exact, under all filters. */
  total: number | undefined;
  columns: readonly OrderColumn[];
  /** The columns are those of a view. */
  ofView: boolean;
}

type Change = (change: Partial<OrderSearch>) => void;

/** Tabs with exact counts, search, shop, payment and order of the list. */
export function OrderFilters({ address, counts, total, news, columns, ofView }: Props) {
  const { search, show, go, onClear } = address;
  const texts = useOrderTexts();
  const formats = useFormats();
  const load = (csvType: string) => orderFile(exportQuery(filtersOf(search)), csvType);
  const shop = useShopFilter(search.shop, (id) => show({ shop: id }));
  const unpaidChips =
    search.unpaid === undefined
      ? []
      : [{ name: texts.unpaid.due, onRemove: () => show({ unpaid: undefined }) }];
  return (
    <ListHead
      title={texts.title}
      about={texts.about}
      count={total === undefined ? undefined : texts.total(total, formats.number(total))}
      views={
        <>
          <Views screen="orders" columns={columns} address={{ ...search }} read={readOrderSearch} go={go} />
          <ColumnsButton
            columns={columns}
            ofView={ofView}
            onChoose={(chosen) => go({ ...search, columns: chosen ? columnsText(chosen) : undefined }, false)}
          />
        </>
      }
      news={news}
      tabs={<StatusTabs chosen={search.status} counts={counts} onChange={show} />}
      search={{
        label: texts.search,
        q: search.q,
        whileTyping: true,
        onSearch: (q) => show({ q, id: search.id }),
      }}
      pickers={[...shop.pickers, ...usePickers(search, show)]}
      chips={[...shop.chips, ...unpaidChips]}
      acts={<SaveList title={texts.title} load={load} />}
      onClear={onClear}
    />
  );
}

interface TabsProps {
  chosen: OrderSearch['status'];
  counts: OrderCounts | undefined;
  onChange: Change;
}

function StatusTabs({ chosen, counts, onChange }: TabsProps) {
  const texts = useOrderTexts();
  const formats = useFormats();
  const all = { id: '' as const, name: texts.all, count: counts && formats.number(sumOf(counts)) };
  return (
    <FilterTabs
      folds
      label={texts.statuses}
      tabs={[
        all,
        ...ORDER_STATUSES.map((id) => ({
          id,
          name: texts.status[id],
          count: counts && formats.number(counts[id]),
        })),
      ]}
      chosen={chosen ?? ''}
      onChoose={(id) => {
        onChange({ status: id === '' ? undefined : id });
      }}
    />
  );
}

function sumOf(counts: OrderCounts): number {
  return ORDER_STATUSES.reduce((sum, status) => sum + counts[status], 0);
}

function usePickers({ payment, unpaid, sort }: OrderSearch, onChange: Change): Choice[] {
  const texts = useOrderTexts();
  const { filters } = useTexts();
  return [
    filterPicker({
      label: texts.paymentFilter,
      all: texts.anyPayment,
      choices: PAYMENT_STATUSES.map((id) => ({ id, name: texts.payment[id] })),
      chosen: payment,
      onChoose: (id) => onChange({ payment: id }),
    }),
    filterPicker({
      label: texts.unpaidFilter,
      all: texts.anyUnpaid,
      choices: UNPAID_FILTERS.map((id) => ({ id, name: texts.unpaid[id] })),
      chosen: unpaid,
      onChoose: (id) => onChange({ unpaid: id }),
    }),
    {
      label: filters.sort,
      choices: SORTS.map((id) => ({ id, name: texts.sorts[id] })),
      chosen: sort ?? 'newest',
      onChoose: (id) => {
        onChange({ sort: id === 'oldest' ? id : undefined });
      },
    },
  ];
}

const ColumnsDialog = lazy(() => import('./columns-dialog'));

interface ColumnsButtonProps {
  columns: readonly OrderColumn[];
  ofView: boolean;
  onChoose: (columns: readonly OrderColumn[] | null) => void;
}

/** Chooses the columns of the table; cards have none. */
function ColumnsButton(props: ColumnsButtonProps) {
  const texts = useViewsTexts();
  const [isOpen, setOpen] = useState(false);
  const isCards = useIsCards();
  const open = () => setOpen(true);
  useKeys('page', [{ keys: 'Shift c', does: texts.columnsTitle, run: open, hidden: isCards }]);
  if (isCards) return null;
  return (
    <>
      <Button kind="quiet" shortcut="Shift c" onPress={open}>
        {texts.columns}
      </Button>
      <Suspense>{isOpen && <ColumnsDialog {...props} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

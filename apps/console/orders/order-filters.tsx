import { useState } from 'react';
import type { OrderCounts } from '@offizin/contracts/pipeline';
import { Button } from '../controls/button';
import { useSession } from '../shell/session.calls';
import { useFormats } from '../text/texts';
import { isFiltered, ORDER_STATUSES, type OrderSearch, PAYMENT_STATUSES, SORTS } from './order-search';
import { useOrderTexts } from './order-texts';
import css from './orders.module.css';

interface Props {
  search: OrderSearch;
  counts: OrderCounts | undefined;
  /** Exact, under all filters. */
  total: number | undefined;
  onChange: (change: Partial<OrderSearch>) => void;
}

/** Tabs with exact counts, search, shop, payment and order of the list. The address holds the choice. */
export function OrderFilters({ search, counts, total, onChange }: Props) {
  const texts = useOrderTexts();
  const formats = useFormats();
  return (
    <header className={css.listHead}>
      <div className={css.listTitle}>
        <h1>{texts.title}</h1>
        {total !== undefined && (
          <span className={css.count} role="status">
            {texts.total(total, formats.number(total))}
          </span>
        )}
      </div>
      <StatusTabs chosen={search.status} counts={counts} onChange={onChange} />
      <div className={css.filters}>
        <Search key={search.q} q={search.q ?? ''} onChange={onChange} />
        <Pickers search={search} onChange={onChange} />
        {isFiltered(search) && (
          <Button
            kind="quiet"
            onPress={() => {
              onChange({ q: undefined, shop: undefined, payment: undefined });
            }}
          >
            {texts.clearFilters}
          </Button>
        )}
      </div>
    </header>
  );
}

interface TabsProps {
  chosen: OrderSearch['status'];
  counts: OrderCounts | undefined;
  onChange: Props['onChange'];
}

/** Where there is room for them, else one list of choices. */
function StatusTabs({ chosen, counts, onChange }: TabsProps) {
  const texts = useOrderTexts();
  const formats = useFormats();
  const tabs = [undefined, ...ORDER_STATUSES].map((status) => ({
    status,
    name: status === undefined ? texts.all : texts.status[status],
    count: counts && formats.number(status === undefined ? sumOf(counts) : counts[status]),
  }));
  return (
    <>
      <div className={css.pills} role="group" aria-label={texts.statuses}>
        {tabs.map(({ status, name, count }) => (
          <button
            key={status ?? ''}
            type="button"
            className={css.pill}
            aria-pressed={status === chosen}
            onClick={() => {
              onChange({ status });
            }}
          >
            {name} <span className={css.pillCount}>{count}</span>
          </button>
        ))}
      </div>
      <div className={css.statusPicker}>
        <Picker
          label={texts.statuses}
          choices={tabs.map(({ status, name, count }) => ({
            id: status ?? '',
            name: count === undefined ? name : texts.withCount(name, count),
          }))}
          chosen={chosen ?? ''}
          onChoose={(id) => {
            onChange({ status: ORDER_STATUSES.find((status) => status === id) });
          }}
        />
      </div>
    </>
  );
}

function sumOf(counts: OrderCounts): number {
  return ORDER_STATUSES.reduce((sum, status) => sum + counts[status], 0);
}

function Pickers({ search, onChange }: Pick<Props, 'search' | 'onChange'>) {
  const texts = useOrderTexts();
  const { shops } = useSession();
  return (
    <>
      {shops.length > 1 && (
        <Picker
          label={texts.shop}
          choices={[
            { id: '', name: texts.allShops },
            ...shops.map(({ shop_id: id, name }) => ({ id, name })),
          ]}
          chosen={search.shop ?? ''}
          onChoose={(shop) => {
            onChange({ shop: shop === '' ? undefined : shop });
          }}
        />
      )}
      <Picker
        label={texts.paymentFilter}
        choices={[
          { id: '', name: texts.anyPayment },
          ...PAYMENT_STATUSES.map((id) => ({ id, name: texts.payment[id] })),
        ]}
        chosen={search.payment ?? ''}
        onChoose={(id) => {
          onChange({ payment: PAYMENT_STATUSES.find((payment) => payment === id) });
        }}
      />
      <Picker
        label={texts.sort}
        choices={SORTS.map((id) => ({ id, name: texts.sorts[id] }))}
        chosen={search.sort ?? 'newest'}
        onChoose={(sort) => {
          onChange({ sort: sort === 'oldest' ? sort : undefined });
        }}
      />
    </>
  );
}

function Search({ q, onChange }: { q: string; onChange: Props['onChange'] }) {
  const texts = useOrderTexts();
  const [typed, setTyped] = useState(q);
  const find = () => {
    const wanted = typed.trim();
    if (wanted !== q) onChange({ q: wanted === '' ? undefined : wanted });
  };
  return (
    <form
      role="search"
      className={css.searchForm}
      onSubmit={(event) => {
        event.preventDefault();
        find();
      }}
    >
      <input
        type="search"
        className={css.search}
        aria-label={texts.search}
        placeholder={texts.search}
        value={typed}
        maxLength={255}
        onChange={({ target }) => {
          setTyped(target.value);
        }}
        onBlur={find}
      />
    </form>
  );
}

interface PickerProps {
  label: string;
  choices: readonly { id: string; name: string }[];
  chosen: string;
  onChoose: (id: string) => void;
}

/** The browser's own list of choices: it works on every device, and with single keys. */
function Picker({ label, choices, chosen, onChoose }: PickerProps) {
  return (
    <select
      className={css.picker}
      aria-label={label}
      value={chosen}
      onChange={({ target }) => {
        onChoose(target.value);
      }}
    >
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

import { useState } from 'react';
import type { ReviewCounts } from '@offizin/contracts/review';
import { Button } from '../controls/button';
import { useSession } from '../shell/session.calls';
import { useFormats, useTexts } from '../text/texts';
import { isFiltered, REVIEW_SORTS, REVIEW_TABS, type RequestSearch } from './filters';
import css from './requests.module.css';

interface Props {
  search: RequestSearch;
  counts: ReviewCounts | undefined;
  onChange: (change: Partial<RequestSearch>) => void;
}

/** Tabs with exact counts, search, shop and order of the list. What is chosen stands in the address. */
export function RequestFilters({ search, counts, onChange }: Props) {
  const texts = useTexts().requests;
  const formats = useFormats();
  const { shops } = useSession();
  const allShops = [{ id: '', name: texts.allShops }];
  return (
    <header className={css.listHead}>
      <div className={css.listTitle}>
        <h1>{texts.title}</h1>
        {counts && <span className={css.count}>{texts.open(formats.number(counts.open))}</span>}
      </div>
      <Pills chosen={search.tab ?? 'open'} onChange={onChange} />
      <Search key={search.q} q={search.q ?? ''} onChange={onChange} />
      <div className={css.filters}>
        <Picker
          label={texts.sort}
          choices={REVIEW_SORTS.map((id) => ({ id, name: texts.sorts[id] }))}
          chosen={search.sort ?? 'oldest'}
          onChoose={(sort) => {
            onChange({ sort: sort === 'oldest' ? undefined : sort });
          }}
        />
        {shops.length > 1 && (
          <Picker
            label={texts.shop}
            choices={[...allShops, ...shops.map(({ shop_id: id, name }) => ({ id, name }))]}
            chosen={search.shop ?? ''}
            onChoose={(shop) => {
              onChange({ shop: shop === '' ? undefined : shop });
            }}
          />
        )}
        {isFiltered(search) && (
          <Button
            kind="quiet"
            onPress={() => {
              onChange({ q: undefined, shop: undefined, source: undefined, flag: undefined });
            }}
          >
            {texts.clearFilters}
          </Button>
        )}
      </div>
    </header>
  );
}

function Pills({ chosen, onChange }: { chosen: string; onChange: Props['onChange'] }) {
  const texts = useTexts().requests;
  return (
    <div className={css.pills} role="group" aria-label={texts.listLabel}>
      {REVIEW_TABS.map((tab) => (
        <button
          key={tab}
          type="button"
          className={css.pill}
          aria-pressed={tab === chosen}
          onClick={() => {
            onChange({ tab: tab === 'open' ? undefined : tab });
          }}
        >
          {texts.tabs[tab]}
        </button>
      ))}
    </div>
  );
}

function Search({ q, onChange }: { q: string; onChange: Props['onChange'] }) {
  const texts = useTexts().requests;
  const [typed, setTyped] = useState(q);
  const find = () => {
    const wanted = typed.trim();
    if (wanted !== q) onChange({ q: wanted === '' ? undefined : wanted });
  };
  return (
    <form
      role="search"
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

interface PickerProps<Id extends string> {
  label: string;
  choices: readonly { id: Id; name: string }[];
  chosen: Id;
  onChoose: (id: Id) => void;
}

/** The browser's own list of choices: it works on every device, and with single keys. */
function Picker<Id extends string>({ label, choices, chosen, onChoose }: PickerProps<Id>) {
  return (
    <select
      className={css.picker}
      aria-label={label}
      value={chosen}
      onChange={({ target }) => {
        const choice = choices.find(({ id }) => id === target.value);
        if (choice) onChoose(choice.id);
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

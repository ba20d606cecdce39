import { type ReactNode, useState } from 'react';
import { useTexts } from '../text/texts';
import { Button } from './button';
import css from './list-head.module.css';
import { Picker, type Choice } from './picker';
import { useWidth } from './use-width';

/** A filter of the address that has no control on the screen; it must be seen, and can be taken away. */
export interface FilterChip {
  /** Such as "Quelle: telearzt". */
  name: string;
  onRemove: () => void;
}

/** Below this width the views are beside the search. list-head.module.css has the same number. */
const NARROW_PX = 480;

interface Props {
  title: string;
  /** Exact, such as "3 offen". */
  count: string | undefined;
  /** Saved views. */
  views?: ReactNode;
  /** New rows that wait, in a place that moves nothing. */
  news: ReactNode;
  /** FilterTabs. */
  tabs: ReactNode;
  search: SearchProps;
  pickers: readonly Choice[];
  chips: readonly FilterChip[];
  /** What can be done with the whole list. */
  acts?: ReactNode;
  /** Clears all filters; null without filters. */
  onClear: (() => void) | null;
}

/** The head of a list: what it is, how many, and by what it is filtered and sorted. The address holds the choice. */
export function ListHead({ title, count, views, news, tabs, search, pickers, chips, acts, onClear }: Props) {
  const texts = useTexts().filters;
  const { ref, widthPx } = useWidth<HTMLElement>();
  const isNarrow = widthPx !== null && widthPx <= NARROW_PX;
  return (
    <header ref={ref} className={css.head}>
      <div className={css.title}>
        <h1>{title}</h1>
        <span className={css.count} role="status">
          {count}
        </span>
        {!isNarrow && views}
        <div className={css.news}>{news}</div>
      </div>
      {tabs}
      <div className={css.filters}>
        <Search key={search.q} {...search} />
        {isNarrow && views}
        {pickers.map((picker) => (
          <Picker key={picker.label} {...picker} />
        ))}
        {chips.map(({ name, onRemove }) => (
          <button
            key={name}
            type="button"
            className={css.chip}
            aria-label={texts.remove(name)}
            title={name}
            onClick={onRemove}
          >
            <span className={css.chipName}>{name}</span>
            <span aria-hidden>×</span>
          </button>
        ))}
        {onClear && (
          <Button kind="quiet" onPress={onClear}>
            {texts.clear}
          </Button>
        )}
        {acts}
      </div>
    </header>
  );
}

interface SearchProps {
  /** What can be searched. */
  label: string;
  q: string | undefined;
  onSearch: (q: string | undefined) => void;
}

function Search({ label, q = '', onSearch }: SearchProps) {
  const [typed, setTyped] = useState(q);
  const find = () => {
    const wanted = typed.trim();
    if (wanted !== q) onSearch(wanted === '' ? undefined : wanted);
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
        aria-label={label}
        placeholder={label}
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

import { type ReactNode, useState } from 'react';
import { useTexts } from '../text/texts';
import { Button, IconButton } from './button';
import { FilterIcon } from './icon';
import css from './list-head.module.css';
import { ListSearch, type SearchProps } from './list-search';
import { Picker, type Choice } from './picker';
import { useWidth } from './use-width';

/** A filter of the address whose control is folded or missing; it must be seen, and can be taken away. */
export interface FilterChip {
  /** Such as "Quelle: telearzt". */
  name: string;
  onRemove: () => void;
}

/** Below these widths the pickers are behind a button: a head has two rows, also beside an open object. */
const FOLDED_PX = { withTabs: 1000, alone: 480 };

export interface ListHeadProps {
  title: string;
  /** What the list is for, in one sentence. Missing where a narrow list is always beside its open object. */
  about?: string;
  /** The page has a head above the list. */
  isPart?: boolean;
  /** Exact, such as "3 offen". */
  count: string | undefined;
  /** Saved views. */
  views?: ReactNode;
  /** New rows that wait, in a place that moves nothing. */
  news: ReactNode;
  /** The act that matters, or the way to another page. */
  act?: ReactNode;
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
export function ListHead({
  title,
  about,
  isPart = false,
  count,
  views,
  news,
  act,
  tabs,
  search,
  pickers,
  chips,
  acts,
  onClear,
}: ListHeadProps) {
  const texts = useTexts().filters;
  const { ref, widthPx } = useWidth<HTMLElement>();
  const [isOpen, setOpen] = useState(false);
  const Title = isPart ? 'h2' : 'h1';
  const sentence = about && <p className={css.about}>{about}</p>;
  const leastPx = FOLDED_PX[tabs === null ? 'alone' : 'withTabs'];
  const isFolded = pickers.length > 0 && widthPx !== null && widthPx < leastPx;
  const filters = (
    <div className={css.filters} hidden={isFolded && !isOpen}>
      {pickers.map((picker) => (
        <Picker key={picker.label} {...picker} />
      ))}
      {onClear && (
        <Button kind="quiet" onPress={onClear}>
          {texts.clear}
        </Button>
      )}
      {acts}
    </div>
  );
  return (
    <header ref={ref} className={css.head}>
      <div className={css.title}>
        <div className={css.names}>
          <Title>{title}</Title>
          <span className={css.count} role="status">
            {count}
          </span>
        </div>
        <div className={css.news}>{news}</div>
        <ListSearch {...search} />
        {views}
        {isFolded && <Fold pickers={pickers} isOpen={isOpen} onPress={() => setOpen(!isOpen)} />}
        {act && <div className={css.act}>{act}</div>}
      </div>
      {(tabs !== null || isFolded) && sentence}
      {(tabs !== null || !isFolded) && (
        <div className={css.title}>
          {tabs ?? sentence}
          {!isFolded && filters}
        </div>
      )}
      {isFolded && filters}
      {chips.length > 0 && (
        <div className={css.filters}>
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
        </div>
      )}
    </header>
  );
}

interface FoldProps extends Pick<ListHeadProps, 'pickers'> {
  isOpen: boolean;
  onPress: () => void;
}

/** Opens the pickers, and shows which of them are not as usual. */
function Fold({ pickers, isOpen, onPress }: FoldProps) {
  const { filters: texts } = useTexts();
  const chosen = pickers.flatMap(({ choices: [usual, ...others], chosen: id }) =>
    id === usual?.id ? [] : others.filter((choice) => choice.id === id).map(({ name }) => name),
  );
  const name = [texts.more, ...chosen].join(', ');
  return (
    <span className={css.fold} data-chosen={chosen.length > 0}>
      <IconButton name={name} aria-expanded={isOpen} onPress={onPress}>
        <FilterIcon />
      </IconButton>
    </span>
  );
}

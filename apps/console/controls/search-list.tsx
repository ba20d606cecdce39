import { Autocomplete, Input, Menu, MenuItem, SearchField } from 'react-aria-components';
import css from './search-list.module.css';

interface Found {
  id: string;
  name: string;
  /** Below the name. */
  facts: readonly string[];
}

interface Props {
  label: string;
  words: string;
  onWords: (words: string) => void;
  items: readonly Found[];
  /** In place of an empty list. */
  nothing: string;
  onPick: (id: string) => void;
  onClose: () => void;
}

/** Finds one of many by words; the server searches. */
export function SearchList({ label, words, onWords, items, nothing, onPick, onClose }: Props) {
  return (
    <div
      className={css.picker}
      // The key that closes the dialog closes only the search.
      onKeyDownCapture={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Autocomplete inputValue={words} onInputChange={onWords}>
        <SearchField aria-label={label} autoFocus>
          <Input className={css.input ?? ''} placeholder={label} maxLength={200} />
        </SearchField>
        <Menu
          aria-label={label}
          className={css.list ?? ''}
          items={items}
          onAction={(id) => onPick(String(id))}
          renderEmptyState={() => <p className={css.none}>{nothing}</p>}
        >
          {({ id, name, facts }) => (
            <MenuItem id={id} textValue={name} className={css.found ?? ''}>
              <strong>{name}</strong>
              <span className={css.quiet}>{facts.join(' · ')}</span>
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </div>
  );
}

import { lazy, Suspense, useId, useRef, useState } from 'react';
import { DownIcon } from './icon';
import type { ListedChoice } from './picker-list';
import css from './picker.module.css';

export interface Choice extends ListedChoice {
  isDisabled?: boolean;
}

export interface Filter<Id extends string> {
  label: string;
  /** The name of no filter. */
  all: string;
  choices: readonly { id: Id; name: string }[];
  chosen: string | undefined;
  onChoose: (id: Id | undefined) => void;
}

/** The picker of a filter, which may be left open. */
export function filterPicker<Id extends string>(filter: Filter<Id>): Choice {
  const { label, all, choices, chosen = '', onChoose } = filter;
  return {
    label,
    choices: [{ id: '', name: all }, ...choices],
    chosen,
    onChoose: (picked) => onChoose(choices.find(({ id }) => id === picked)?.id),
  };
}

const load = () => import('./picker-list');
const PickerList = lazy(load);

const OPENING_KEYS = new Set(['ArrowDown', 'ArrowUp', 'Enter', ' ']);

/** A button that names the choice and opens the list of them, which is loaded when the pointer or the focus comes near. */
export function Picker({ label, choices, chosen, isDisabled = false, onChoose }: Choice) {
  const button = useRef<HTMLButtonElement>(null);
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const name = (choices.find(({ id }) => id === chosen) ?? choices[0])?.name;
  // A failure is shown when the list is opened.
  const prepare = () => void load().catch(() => null);
  return (
    <>
      <button
        ref={button}
        type="button"
        role="combobox"
        className={css.picker}
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        disabled={isDisabled}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => {
          if (!OPENING_KEYS.has(event.key)) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        <span className={css.chosen} title={name}>
          {name}
        </span>
        <DownIcon />
      </button>
      <Suspense>
        {isOpen && (
          <PickerList
            id={listId}
            label={label}
            choices={choices}
            chosen={chosen}
            trigger={button}
            onChoose={onChoose}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}

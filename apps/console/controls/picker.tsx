import css from './picker.module.css';

/** One of several values; the first id may be '' for "all". */
export interface Choice {
  label: string;
  choices: readonly { id: string; name: string }[];
  chosen: string;
  onChoose: (id: string) => void;
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

/** The browser's own list of choices: it works on every device, and with single keys. */
export function Picker({ label, choices, chosen, onChoose }: Choice) {
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

import css from './picker.module.css';

/** One of several values; the first id may be '' for "all". */
export interface Choice {
  label: string;
  choices: readonly { id: string; name: string }[];
  chosen: string;
  onChoose: (id: string) => void;
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

import css from './filter-tabs.module.css';
import { Picker } from './picker';

interface Tab<Id extends string> {
  /** '' for all. */
  id: Id;
  name: string;
  /** Written as a person reads it; undefined until it is known. */
  count?: string | undefined;
}

interface Props<Id extends string> {
  label: string;
  tabs: readonly Tab<Id>[];
  chosen: Id;
  onChoose: (id: Id) => void;
  /** Many tabs are one list of choices on a narrow screen; `narrow`: only in the narrowest list. */
  folds?: boolean | 'narrow';
}

/** The lists that a screen is made of, with exact counts. */
export function FilterTabs<Id extends string>({ label, tabs, chosen, onChoose, folds = false }: Props<Id>) {
  return (
    <>
      <div className={css.tabs} role="group" aria-label={label} data-folds={folds}>
        {tabs.map(({ id, name, count }) => (
          <button
            key={id}
            type="button"
            className={css.tab}
            title={name}
            aria-pressed={id === chosen}
            onClick={() => {
              onChoose(id);
            }}
          >
            <span>{name}</span> <span className={css.count}>{count !== '0' && count}</span>
          </button>
        ))}
      </div>
      {folds !== false && (
        <div className={css.folded} data-folds={folds}>
          <Picker
            label={label}
            choices={tabs.map(({ id, name, count }) => ({
              id,
              name: count === undefined ? name : `${name} (${count})`,
            }))}
            chosen={chosen}
            onChoose={(picked) => {
              const tab = tabs.find(({ id }) => id === picked);
              if (tab) onChoose(tab.id);
            }}
          />
        </div>
      )}
    </>
  );
}

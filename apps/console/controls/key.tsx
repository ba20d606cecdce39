import css from './key.module.css';

/** The key of an action, printed on its button. */
export function Key({ name }: { name: string }) {
  return (
    <kbd className={css.key} aria-hidden="true">
      {name.length === 1 ? name.toUpperCase() : name}
    </kbd>
  );
}

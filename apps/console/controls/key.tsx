import { useTexts } from '../text/texts';
import css from './key.module.css';

/** The key of an action, printed on its button. */
export function Key({ name }: { name: string }) {
  const names: Readonly<Record<string, string>> = useTexts().shell.keyNames;
  return (
    <kbd className={css.key} aria-hidden="true">
      {names[name] ?? name.replace(/(?<!\S)[a-z]$/, (letter) => letter.toUpperCase())}
    </kbd>
  );
}

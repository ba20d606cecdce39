import { useEffect, useRef, useState } from 'react';
import { useKeys } from '../keyboard/keys';
import css from './list-head.module.css';

export interface SearchProps {
  /** What can be searched. */
  label: string;
  q: string | undefined;
  /** Finds at each pause; else only when the person has finished. */
  whileTyping?: boolean;
  /** `isDone`: with Enter, which goes on to what was found. */
  onSearch: (q: string | undefined, isDone: boolean) => void;
}

const PAUSE_MS = 200;

/** To the list, whose keys act then. */
function leave(field: HTMLInputElement | null): void {
  const list = field?.closest('main')?.querySelector<HTMLElement>('[role=listbox], [role=grid]');
  if (list) list.focus({ preventScroll: true });
  else field?.blur();
}

/** The search of a list; `/` leads to it. */
export function ListSearch({ label, q = '', whileTyping = false, onSearch }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(q);
  const [shown, setShown] = useState(q);
  const [asked, setAsked] = useState(q);
  // Another address, such as that of a view; the answer to what was typed changes nothing here.
  if (q !== shown) {
    setShown(q);
    if (q !== asked) {
      setAsked(q);
      setTyped(q);
    }
  }
  const find = (isDone: boolean) => {
    const wanted = typed.trim();
    if (wanted === q && !(isDone && whileTyping)) return;
    setAsked(wanted);
    onSearch(wanted === '' ? undefined : wanted, isDone);
  };
  const latest = useRef(find);
  useEffect(() => {
    latest.current = find;
  });
  useEffect(() => {
    if (!whileTyping) return undefined;
    const timer = window.setTimeout(() => latest.current(false), PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [typed, whileTyping]);
  useKeys('page', [{ keys: '/', does: label, run: () => field.current?.select() }]);
  return (
    <form
      role="search"
      className={css.searchForm}
      onSubmit={(event) => {
        event.preventDefault();
        // The field is left first: what it then finds itself must not come last.
        leave(field.current);
        find(true);
      }}
    >
      <input
        ref={field}
        type="search"
        className={css.search}
        aria-label={label}
        placeholder={label}
        value={typed}
        maxLength={255}
        onChange={({ target }) => {
          setTyped(target.value);
        }}
        onBlur={() => find(false)}
      />
    </form>
  );
}

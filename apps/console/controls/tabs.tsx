import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import css from './tabs.module.css';

interface Choice<Id extends string> {
  id: Id;
  label: ReactNode;
}

interface Props<Id extends string> {
  label: string;
  tabs: readonly Choice<Id>[];
  selected: Id;
  onSelect: (id: Id) => void;
  /** `pills` choose a list, `halves` switch between two panes. */
  look?: 'pills' | 'halves';
  /** What belongs to the selected tab. */
  children: ReactNode;
}

/**
 * Own elements after the pattern of WAI-ARIA: React Aria's tabs are made on its collections, which nothing else of the
 * first load needs. Arrows, Home and End select; one tab is in the order of the Tab key.
 */
export function Tabs<Id extends string>({
  label,
  tabs,
  selected,
  onSelect,
  look = 'pills',
  children,
}: Props<Id>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === selected);
    const next = tabs[nextIndex(event.key, at, tabs.length)];
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onSelect(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <div className={css.tabs}>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className={css.list}
        data-look={look}
        onKeyDown={onKeyDown}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab.id === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            className={css.tab}
            onClick={() => {
              onSelect(tab.id);
            }}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} className={css.panel}>
        {children}
      </div>
    </div>
  );
}

/** -1 when the key does not move. */
function nextIndex(key: string, at: number, count: number): number {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : -1;
}

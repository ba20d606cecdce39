import { type ReactNode, useLayoutEffect, useRef } from 'react';
import css from './action-bar.module.css';

interface Props {
  label: string;
  /** Why nothing can be done now; null when it can. */
  blocked: string | null;
  children: ReactNode;
}

/** The acts on what is open, at the bottom in every layout. Messages stand above the bar, whatever its height. */
export function ActionBar({ label, blocked, children }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  useHeightForMessages(bar);
  return (
    <div ref={bar} className={css.bar} role="group" aria-label={label}>
      {/* Above the buttons, which stay where they are when it comes and goes. */}
      <div role="status">
        {blocked !== null && (
          <p key={blocked} className={css.blocked}>
            {blocked}
          </p>
        )}
      </div>
      <div className={css.buttons}>{children}</div>
    </div>
  );
}

function useHeightForMessages(bar: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const { current } = bar;
    if (!current) return undefined;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => {
      style.setProperty('--action-bar', `${current.offsetHeight}px`);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      style.removeProperty('--action-bar');
    };
  }, [bar]);
}

import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useKeys } from '../keyboard/keys';
import css from './action-bar.module.css';
import { Button, type ButtonProps } from './button';

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

export interface KeyedAct extends Pick<ButtonProps, 'kind' | 'isPending'> {
  keys: string;
  does: string;
  /** False: it cannot be done now. */
  can?: boolean;
  run: () => void;
}

export interface KeyedButtonsProps {
  acts: readonly KeyedAct[];
  /** False: the keys are those of what is open beside it. */
  hasKeys?: boolean;
}

/** The buttons of acts on a page, whose keys do the same. */
export function KeyedButtons({ acts, hasKeys = true }: KeyedButtonsProps) {
  const bindings = acts.map(({ keys, does, can = true, run }) => ({ keys, does, run: () => can && run() }));
  useKeys('page', hasKeys ? bindings : []);
  return acts.map(({ keys, does, can = true, run, ...looks }) => (
    <Button key={keys} shortcut={hasKeys ? keys : undefined} isDisabled={!can} onPress={run} {...looks}>
      {does}
    </Button>
  ));
}

/** Beside an open object, a list with a selection has a bar, too: messages stand above the higher one. */
const heightsPx = new Map<HTMLElement, number>();

function showHeight(): void {
  document.documentElement.style.setProperty('--action-bar', `${Math.max(0, ...heightsPx.values())}px`);
}

function useHeightForMessages(bar: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const { current } = bar;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => {
      heightsPx.set(current, current.offsetHeight);
      showHeight();
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      heightsPx.delete(current);
      showHeight();
    };
  }, [bar]);
}

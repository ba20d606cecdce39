import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useKeys } from '../keyboard/keys';
import css from './action-bar.module.css';
import { followBar } from './bar-heights';
import { Button, type ButtonProps } from './button';

interface Props {
  label: string;
  /** Why nothing, or not everything, can be done now; null when it can. */
  blocked: string | null;
  children: ReactNode;
}

/** The acts on what is open, at the bottom in every layout. Messages stand above the bar, whatever its height. */
export function ActionBar({ label, blocked, children }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (bar.current ? followBar(bar.current) : undefined), []);
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

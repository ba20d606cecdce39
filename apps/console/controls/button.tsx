import { Button as AriaButton, type ButtonProps } from 'react-aria-components';
import type { ReactNode } from 'react';
import css from './button.module.css';
import { Key } from './key';
import { useKeyPolicy } from './key-policy';

interface Props extends Omit<ButtonProps, 'className' | 'style' | 'children'> {
  /** `main`: the act that matters, once a screen. `quiet`: without a border. */
  kind?: 'main' | 'plain' | 'danger' | 'quiet';
  /** The key that does the same, as in useKeys. */
  shortcut?: string;
  children: ReactNode;
}

export function Button({ kind = 'plain', shortcut, children, ...props }: Props) {
  const policy = useKeyPolicy();
  const shown = shortcut !== undefined && policy !== 'off';
  return (
    <AriaButton
      {...props}
      className={css.button ?? ''}
      data-kind={kind}
      {...(shown ? { 'aria-keyshortcuts': policy === 'alt' ? `Alt+${shortcut}` : shortcut } : {})}
    >
      {children}
      {shown ? <Key name={shortcut} /> : null}
    </AriaButton>
  );
}

import type { ComponentProps } from 'react';
import css from './button.module.css';
import { Key } from './key';
import { useKeyPolicy } from './key-policy';

type Aria = 'aria-label' | 'aria-pressed' | 'aria-expanded' | 'aria-keyshortcuts';

export interface ButtonProps extends Pick<
  ComponentProps<'button'>,
  Aria | 'type' | 'title' | 'autoFocus' | 'children'
> {
  /** `main`: the act that matters, once a screen. `quiet`: without a border. */
  kind?: 'main' | 'plain' | 'danger' | 'quiet';
  /** The key that does the same, as in useKeys. */
  shortcut?: string;
  isDisabled?: boolean;
  /** The act is under way: pressing it again does nothing, and it keeps the focus. */
  isPending?: boolean;
  onPress?: () => void;
}

/** The browser's own button: one of React Aria takes a millisecond, and each request on the screen has a dozen. */
export function Button(props: ButtonProps) {
  const {
    kind = 'plain',
    shortcut,
    isDisabled = false,
    isPending = false,
    onPress,
    children,
    ...rest
  } = props;
  const policy = useKeyPolicy();
  const shown = shortcut !== undefined && policy !== 'off';
  return (
    <button
      type="button"
      {...rest}
      className={css.button}
      data-kind={kind}
      disabled={isDisabled}
      aria-disabled={isPending || undefined}
      onClick={(event) => {
        if (isPending) event.preventDefault();
        else onPress?.();
      }}
      {...(shown ? { 'aria-keyshortcuts': policy === 'alt' ? `Alt+${shortcut}` : shortcut } : {})}
    >
      {children}
      {shown ? <Key name={shortcut} /> : null}
    </button>
  );
}

interface IconProps extends Pick<ButtonProps, 'isPending' | 'onPress' | 'children' | 'aria-expanded'> {
  name: string;
  shortcut?: string;
}

/** An icon, whose name and key are shown under the pointer. */
export function IconButton({ name, shortcut, ...rest }: IconProps) {
  const hasKey = useKeyPolicy() !== 'off' && shortcut !== undefined;
  return (
    <Button
      kind="quiet"
      aria-label={name}
      title={hasKey ? `${name} (${shortcut})` : name}
      {...(hasKey && { 'aria-keyshortcuts': shortcut })}
      {...rest}
    />
  );
}

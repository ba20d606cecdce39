import type { ReactElement, ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import css from './menu.module.css';

export interface MenuChoice {
  id: string;
  label: ReactNode;
  run: () => void;
}

interface Props {
  label: string;
  /** A Button of React Aria; it opens the menu. */
  trigger: ReactElement;
  choices: readonly MenuChoice[];
  placement: 'bottom end' | 'top start';
  isOpenAtFirst?: boolean;
}

export function Menu({ label, trigger, choices, placement, isOpenAtFirst = false }: Props) {
  return (
    <MenuTrigger defaultOpen={isOpenAtFirst}>
      {trigger}
      <Popover className={css.popover ?? ''} placement={placement}>
        <AriaMenu
          aria-label={label}
          className={css.menu ?? ''}
          onAction={(key) => choices.find(({ id }) => id === key)?.run()}
        >
          {choices.map(({ id, label: text }) => (
            <MenuItem key={id} id={id} className={css.item ?? ''}>
              {text}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

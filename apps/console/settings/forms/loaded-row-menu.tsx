import { Button } from 'react-aria-components';
import { Menu, type MenuChoice } from '../../controls/menu';

interface Props {
  label: string;
  choices: readonly MenuChoice[];
  /** Of the button, as before the menu was loaded. */
  className: string;
  isDisabled: boolean;
  children: string;
}

/** Loaded after its page: menus are the largest of the controls. */
export default function LoadedRowMenu({ label, choices, className, isDisabled, children }: Props) {
  return (
    <Menu
      label={label}
      placement="bottom end"
      choices={choices}
      trigger={
        <Button className={className} aria-label={label} isDisabled={isDisabled}>
          {children}
        </Button>
      }
    />
  );
}

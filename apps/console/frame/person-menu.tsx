import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { SignOutIcon } from '../controls/icon';
import { Menu } from '../controls/menu';
import { useTexts } from '../text/texts';
import { useSignOut } from './shell-acts';

interface Props {
  /** Of the button, as before the menu was wanted. */
  className: string;
  children: ReactNode;
}

/** Open from the start: it is loaded by the press that asks for it. */
export default function PersonMenu({ className, children }: Props) {
  const texts = useTexts();
  const signOut = useSignOut();
  const label = (
    <>
      <SignOutIcon />
      {texts.shell.signOut}
    </>
  );
  return (
    <Menu
      label={texts.shell.menu}
      placement="top start"
      isOpenAtFirst
      choices={[{ id: 'sign-out', label, run: signOut }]}
      trigger={
        <Button className={className} aria-description={texts.shell.menu}>
          {children}
        </Button>
      }
    />
  );
}

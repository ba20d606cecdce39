import type { ReactElement } from 'react';
import { SignOutIcon } from '../controls/icon';
import { Menu } from '../controls/menu';
import { useTexts } from '../text/texts';
import { useSignOut } from './shell-acts';

/** Open from the start: it is loaded by the press that asks for it. */
export default function PersonMenu({ trigger }: { trigger: ReactElement }) {
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
      trigger={trigger}
    />
  );
}

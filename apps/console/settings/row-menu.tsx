import { Button } from 'react-aria-components';
import { Menu, type MenuChoice } from '../controls/menu';
import { useOnline } from '../shell/online';
import css from './row-menu.module.css';
import { useSettingsTexts } from './settings-texts';

/** What can be done with one row of a list; nothing without a connection, as the banner says. */
export function RowMenu({ name, choices }: { name: string; choices: readonly MenuChoice[] }) {
  const texts = useSettingsTexts();
  const online = useOnline();
  return (
    <Menu
      label={texts.actsOn(name)}
      placement="bottom end"
      choices={choices}
      trigger={
        <Button className={css.button ?? ''} aria-label={texts.actsOn(name)} isDisabled={!online}>
          {texts.acts}
        </Button>
      }
    />
  );
}

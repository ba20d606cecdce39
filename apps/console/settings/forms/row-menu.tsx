import { lazy, Suspense } from 'react';
import type { MenuChoice } from '../../controls/menu';
import { useOnline } from '../../session/online';
import css from './row-menu.module.css';
import { useSettingsTexts } from './settings-texts';

const LoadedMenu = lazy(() => import('./loaded-row-menu'));

interface Props {
  name: string;
  choices: readonly MenuChoice[];
}

/** What can be done with one row of a list; nothing without a connection, as the banner states. */
export function RowMenu({ name, choices }: Props) {
  const texts = useSettingsTexts();
  const online = useOnline();
  const label = texts.actsOn(name);
  const button = (
    <button type="button" className={css.button} aria-label={label} disabled>
      {texts.acts}
    </button>
  );
  return (
    <Suspense fallback={button}>
      <LoadedMenu className={css.button ?? ''} isDisabled={!online} label={label} choices={choices}>
        {texts.acts}
      </LoadedMenu>
    </Suspense>
  );
}

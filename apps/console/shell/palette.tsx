import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Autocomplete, Input, Menu, MenuItem, SearchField, useFilter } from 'react-aria-components';
import { Dialog } from '../controls/dialog';
import { Key } from '../controls/key';
import { useTexts } from '../text/texts';
import { pagesOf } from './areas';
import { keys } from './keys';
import css from './palette.module.css';
import { useSession } from './session.calls';
import { useSignOut, useThemeSwitch } from './shell-acts';

interface Command {
  id: string;
  name: string;
  key?: string;
  run: () => void;
}

/** `Ctrl K`: pages, and what this page can do. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const texts = useTexts();
  const { contains } = useFilter({ sensitivity: 'base' });
  const [typed, setTyped] = useState('');
  const commands = [...useCommands(), ...useSearches(typed.trim())];
  return (
    <Dialog title={texts.shell.palette} isOpen onClose={onClose}>
      <Autocomplete filter={contains} inputValue={typed} onInputChange={setTyped}>
        <SearchField aria-label={texts.shell.paletteHint} autoFocus>
          <Input className={css.input ?? ''} placeholder={texts.shell.paletteHint} />
        </SearchField>
        {/* Its commands are never focused themselves, so it scrolls by keys only if it can be. */}
        <div className={css.list} tabIndex={0} role="region" aria-label={texts.shell.palette}>
          <Menu
            aria-label={texts.shell.palette}
            className={css.menu ?? ''}
            items={commands}
            onAction={(id) => {
              onClose();
              // After the dialog has given the focus back.
              window.setTimeout(() => commands.find((command) => command.id === id)?.run());
            }}
            renderEmptyState={() => <p className={css.none}>{texts.shell.paletteNone}</p>}
          >
            {(command) => (
              <MenuItem id={command.id} textValue={command.name} className={css.command ?? ''}>
                <span>{command.name}</span>
                {command.key === undefined ? null : <Key name={command.key} />}
              </MenuItem>
            )}
          </Menu>
        </div>
      </Autocomplete>
    </Dialog>
  );
}

/** Customers and numbers are found by the filters of the lists. */
function useSearches(q: string): Command[] {
  const texts = useTexts();
  const navigate = useNavigate();
  const { staff } = useSession();
  if (q === '') return [];
  return pagesOf(staff.role).flatMap(({ to, name }) =>
    to === '/requests' || to === '/orders'
      ? [
          {
            id: `search ${to}`,
            name: texts.shell.searchIn(name(texts), q),
            run: () => void navigate({ to, search: { q } }),
          },
        ]
      : [],
  );
}

function useCommands(): Command[] {
  const texts = useTexts();
  const navigate = useNavigate();
  const { staff } = useSession();
  const { toggle } = useThemeSwitch();
  const leave = useSignOut();
  // As they were when the palette was opened.
  const ofPage = useMemo(
    () => keys.bindings().filter(({ layer, hidden }) => layer === 'page' && !hidden),
    [],
  );
  return [
    ...ofPage.map((binding) => ({
      id: `page ${binding.keys}`,
      name: binding.does,
      key: binding.keys,
      run: binding.run,
    })),
    ...pagesOf(staff.role).map(({ to, name }) => ({
      id: to,
      name: name(texts),
      run: () => void navigate({ to }),
    })),
    { id: 'theme', name: texts.shell.theme, run: toggle },
    { id: 'sign-out', name: texts.shell.signOut, run: leave },
  ];
}

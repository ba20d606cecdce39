import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import {
  Autocomplete,
  Collection,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { Dialog } from '../controls/dialog';
import { Key } from '../controls/key';
import { useTexts } from '../text/texts';
import { pagesOf } from './areas';
import { keys } from '../keyboard/keys';
import css from './palette.module.css';
import { useSearchTexts } from './search-texts';
import { useSession } from '../session/session.calls';
import { useSignOut, useThemeSwitch } from './shell-acts';
import { type Command, type CommandGroup, useFound } from './use-found';

/** `Ctrl K`: pages, what this page can do, and what the server finds. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { shell } = useTexts();
  const texts = useSearchTexts();
  const [typed, setTyped] = useState('');
  const { groups: found, said } = useFound(typed);
  // What is found comes last: nothing above it moves when it arrives.
  const groups = [...useOwnCommands(typed.trim()), ...found];
  const choose = (id: unknown) => {
    onClose();
    const chosen = groups.flatMap(({ commands }) => commands).find((command) => command.id === id);
    // After the dialog has given the focus back.
    window.setTimeout(() => chosen?.run());
  };
  return (
    <Dialog title={shell.palette} onClose={onClose}>
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <SearchField aria-label={texts.hint} autoFocus>
          <Input className={css.input ?? ''} placeholder={texts.hint} />
        </SearchField>
        {/* Its commands are never focused themselves, so it scrolls by keys only if it can be. */}
        <div className={css.list} tabIndex={0} role="region" aria-label={shell.palette}>
          <Menu
            aria-label={shell.palette}
            className={css.menu ?? ''}
            items={groups}
            onAction={choose}
            renderEmptyState={() => <p className={css.none}>{texts.none}</p>}
          >
            {(group) => <Group group={group} />}
          </Menu>
        </div>
      </Autocomplete>
      <p className={css.said} role="status">
        {said}
      </p>
    </Dialog>
  );
}

function Group({ group: { id, title, commands } }: { group: CommandGroup }) {
  return (
    <MenuSection id={id}>
      <Header className={css.title ?? ''}>{title}</Header>
      <Collection items={commands}>
        {({ id: command, name, key, facts = [] }) => (
          <MenuItem id={command} textValue={[name, ...facts].join(', ')} className={css.command ?? ''}>
            <span className={css.name}>{name}</span>
            {facts.length > 0 && <span className={css.facts}>{facts.join(' · ')}</span>}
            {key === undefined ? null : <Key name={key} />}
          </MenuItem>
        )}
      </Collection>
    </MenuSection>
  );
}

/** The commands whose name has the letters; without letters all. */
function useOwnCommands(typed: string): CommandGroup[] {
  const { commands: title } = useSearchTexts();
  const { contains } = useFilter({ sensitivity: 'base' });
  const all = useCommands();
  const searches = useSearches(typed);
  const commands = [...all.filter(({ name }) => contains(name, typed)), ...searches];
  return commands.length > 0 ? [{ id: 'commands', title, commands }] : [];
}

/** Customers and numbers are also found by the filters of the lists, and lots by the recall. */
function useSearches(q: string): Command[] {
  const shared = useTexts();
  const texts = useSearchTexts();
  const navigate = useNavigate();
  const session = useSession();
  if (q === '') return [];
  return pagesOf(session).flatMap(({ to, name }) => {
    const search = { id: `search ${to}`, name: texts.searchIn(name(shared), q) };
    if (to === '/requests' || to === '/orders')
      return [{ ...search, run: () => void navigate({ to, search: { q } }) }];
    const recall = { ...search, run: () => void navigate({ to: '/recall', search: { lot: q } }) };
    return to === '/recall' ? [recall] : [];
  });
}

function useCommands(): Command[] {
  const texts = useTexts();
  const navigate = useNavigate();
  const session = useSession();
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
    ...pagesOf(session).map(({ to, name }) => ({
      id: to,
      name: name(texts),
      run: () => void navigate({ to }),
    })),
    { id: 'theme', name: texts.shell.theme, run: toggle },
    { id: 'sign-out', name: texts.shell.signOut, run: leave },
  ];
}

import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components';
import type { View } from '@offizin/contracts/views';
import { BookmarkIcon } from '../controls/icon';
import { Key } from '../controls/key';
import { useKeyPolicy } from '../controls/key-policy';
import menu from '../controls/menu.module.css';
import { useKeys } from '../shell/keys';
import { useSession } from '../shell/session.calls';
import { useViewChange } from './use-view-change';
import { addressOf, hasTyped, isChanged, keptOf, type ViewsProps } from './view-state';
import { useViewsTexts } from './views-texts';
import { viewsQuery } from './views.calls';
import css from './views.module.css';

const NameDialog = lazy(() => import('./name-dialog'));
const RemoveDialog = lazy(() => import('./remove-dialog'));

type Open = 'save' | 'rename' | 'remove' | null;

/** A menu above the list: the own views and the shared ones, and what can be done with the present one. */
export default function ViewsMenu(props: ViewsProps) {
  const { screen, address, columns, onShow } = props;
  const texts = useViewsTexts();
  const { org } = useSession();
  const { data: views = [] } = useQuery(viewsQuery(org.id, screen));
  const [isOpen, setOpen] = useState(false);
  const [dialog, setDialog] = useState<Open>(null);
  const view = views.find(({ id }) => id === address['view']);
  const differs = view !== undefined && isChanged(view, address, columns);
  useKeys('page', [{ keys: 'Shift v', does: texts.views, run: () => setOpen(true) }]);
  const acts = useActs(props, view, { differs, onDialog: setDialog });
  const onAction = (key: string) => {
    const picked = views.find(({ id }) => id === key);
    if (picked) onShow(addressOf(screen, picked), true);
    else acts.find(({ id }) => id === key)?.run();
  };
  const close = () => setDialog(null);
  return (
    <>
      <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Trigger view={view} differs={differs} />
        <Popover className={`${menu.popover ?? ''} ${css.popover ?? ''}`} placement="bottom start">
          <Menu
            aria-label={texts.views}
            className={menu.menu ?? ''}
            onAction={(key) => onAction(String(key))}
          >
            <Section name={texts.mine} views={views.filter(({ shared }) => !shared)} currentId={view?.id} />
            <Section name={texts.shared} views={views.filter(({ shared }) => shared)} currentId={view?.id} />
            {acts.map(({ id, name }) => (
              <MenuItem key={id} id={id} className={menu.item ?? ''}>
                {name}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      <Suspense>
        {dialog === 'save' && <NameDialog {...props} view={null} onClose={close} />}
        {dialog === 'rename' && view && <NameDialog {...props} view={view} onClose={close} />}
        {dialog === 'remove' && view && <RemoveDialog {...props} view={view} onClose={close} />}
      </Suspense>
    </>
  );
}

interface TriggerProps {
  view: View | undefined;
  differs: boolean;
}

/** Shows the present view, and whether the list still is as it was saved. */
function Trigger({ view, differs }: TriggerProps) {
  const texts = useViewsTexts();
  const policy = useKeyPolicy();
  return (
    <Button
      className={css.button ?? ''}
      aria-label={view && texts.chosen(view.name, differs)}
      data-chosen={view !== undefined}
    >
      <BookmarkIcon />
      <span className={css.name}>{view?.name ?? texts.views}</span>
      {differs && <span className={css.changed}>{texts.changed}</span>}
      <span className={css.arrow} aria-hidden>
        ▾
      </span>
      {!view && policy !== 'off' && (
        <span className={css.arrow}>
          <Key name="Shift v" />
        </span>
      )}
    </Button>
  );
}

interface SectionProps {
  name: string;
  views: readonly View[];
  currentId: string | undefined;
}

function Section({ name, views, currentId }: SectionProps) {
  const texts = useViewsTexts();
  if (views.length === 0) return null;
  return (
    <>
      <MenuSection>
        <Header className={css.header ?? ''}>{name}</Header>
        {views.map((view) => {
          const isCurrent = view.id === currentId;
          const label = isCurrent ? texts.current(view.name) : view.name;
          return (
            <MenuItem key={view.id} id={view.id} className={menu.item ?? ''} aria-label={label}>
              <span className={css.mark} aria-hidden>
                {isCurrent && '✓'}
              </span>
              <span className={css.item}>{view.name}</span>
            </MenuItem>
          );
        })}
      </MenuSection>
      <Separator className={css.separator ?? ''} />
    </>
  );
}

interface Act {
  id: string;
  name: string;
  run: () => void;
}

interface Ways {
  differs: boolean;
  onDialog: (dialog: Open) => void;
}

/** A shared view is changed by owners only. */
function useActs(props: ViewsProps, view: View | undefined, { differs, onDialog }: Ways): Act[] {
  const { screen, address, columns, onShow } = props;
  const texts = useViewsTexts();
  const { scopes } = useSession();
  const change = useViewChange(screen);
  const save = { id: 'save', name: texts.save, run: () => onDialog('save') };
  if (!view) return [save];
  const mayShare = scopes.includes('views.share');
  const none = { id: 'none', name: texts.none, run: () => onShow({}, true) };
  if (view.shared && !mayShare) return [none, save];
  const update = () => {
    const body = { query: keptOf(screen, address), columns: [...columns] };
    const onDone = () => onShow({ ...address, columns: undefined }, false);
    const left = hasTyped(address) ? `. ${texts.keepsNoText}` : '';
    change({ view, body, done: (name) => texts.saved(name) + left, onDone });
  };
  const share = () => {
    const shared = !view.shared;
    change({ view, body: { shared }, done: shared ? texts.isShared : texts.notShared });
  };
  return [
    ...(differs ? [{ id: 'update', name: texts.update(view.name), run: update }] : []),
    none,
    save,
    { id: 'rename', name: texts.rename, run: () => onDialog('rename') },
    ...(mayShare ? [{ id: 'share', name: view.shared ? texts.unshare : texts.share, run: share }] : []),
    { id: 'remove', name: texts.remove, run: () => onDialog('remove') },
  ];
}

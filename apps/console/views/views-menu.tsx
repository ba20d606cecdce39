import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
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
import type { View, ViewChanges, ViewScreen } from '@offizin/contracts/console/views';
import { BookmarkIcon } from '../controls/icon';
import { Key } from '../controls/key';
import { useKeyPolicy } from '../controls/key-policy';
import menuCss from '../controls/menu.module.css';
import { ApiError } from '../calls/api';
import { sentenceOf } from '../messages/fault';
import { useKeys } from '../keyboard/keys';
import { useSession } from '../session/session.calls';
import { toasts } from '../messages/toasts';
import { useTexts } from '../text/texts';
import { addressOf, hasTyped, isChanged, keptOf, type ViewsProps } from './view-state';
import css from './views-menu.module.css';
import { useViewsTexts } from './views-texts';
import { changeView, viewsQuery } from './views.calls';

const NameDialog = lazy(async () => ({ default: (await import('./view-dialogs')).NameDialog }));
const RemoveDialog = lazy(async () => ({ default: (await import('./view-dialogs')).RemoveDialog }));

type Open = 'save' | 'rename' | 'remove' | null;

/** A menu above the list: the own views and the shared ones, and what can be done with the present one. */
export default function ViewsMenu(props: ViewsProps) {
  const { screen, address, columns, onShow } = props;
  const texts = useViewsTexts();
  const { data: views = [] } = useQuery(viewsQuery(screen));
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
        <Popover className={`${menuCss.popover ?? ''} ${css.popover ?? ''}`} placement="bottom start">
          <Menu
            aria-label={texts.views}
            className={menuCss.menu ?? ''}
            onAction={(key) => onAction(String(key))}
          >
            <Section name={texts.mine} views={views.filter(({ shared }) => !shared)} currentId={view?.id} />
            <Section name={texts.shared} views={views.filter(({ shared }) => shared)} currentId={view?.id} />
            {acts.map(({ id, name }) => (
              <MenuItem key={id} id={id} className={menuCss.item ?? ''}>
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
            <MenuItem key={view.id} id={view.id} className={menuCss.item ?? ''} aria-label={label}>
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

interface Change {
  view: View;
  body: ViewChanges;
  /** What the person reads then. */
  done: (name: string) => string;
  onDone?: () => void;
}

/** A change of a view without a dialog. When a colleague was faster, the person looks again first. */
function useViewChange(screen: ViewScreen): (change: Change) => void {
  const all = useTexts();
  const texts = useViewsTexts();
  const client = useQueryClient();
  const { queryKey } = viewsQuery(screen);
  const { mutate } = useMutation({
    mutationFn: ({ view, body }: Change) => changeView(view, body),
    onSuccess: (saved, { done, onDone }) => {
      client.setQueryData(queryKey, (views) => views?.map((view) => (view.id === saved.id ? saved : view)));
      onDone?.();
      toasts.show({ text: done(saved.name) });
    },
    onError: (error) => {
      const code = error instanceof ApiError ? error.code : '';
      const known = { precondition_failed: texts.faster, conflict: texts.taken }[code];
      toasts.show({ text: known ?? sentenceOf(error, all), tone: 'failure' });
      void client.invalidateQueries({ queryKey });
    },
  });
  return mutate;
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../controls/button';
import { EmptyState } from '../../controls/empty-state';
import { NotLoaded, SettingsList, SettingsPage } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { useOnline } from '../../session/online';
import { apiKeysQuery } from './api-keys.calls';
import { type KeyAct, KeyRow } from './key-row';
import { type ApiKey, stateOf } from './key-state';

/** Loaded with the first press that opens them. */
const CreateDialog = lazy(async () => ({ default: (await import('./key-dialogs')).CreateDialog }));
const RotateDialog = lazy(async () => ({ default: (await import('./key-dialogs')).RotateDialog }));
const RevokeDialog = lazy(async () => ({ default: (await import('./key-dialogs')).RevokeDialog }));

const CertificationDialog = lazy(() => import('./certification-dialog'));

type Open = { act: 'create' } | { act: KeyAct; apiKey: ApiKey };

/** Keys of programs: what they may do, when they end, when they were used; create, replace, revoke. */
export default function ApiKeysPage() {
  const { apiKeys: texts } = useSettingsTexts();
  const online = useOnline();
  const list = useInfiniteQuery(apiKeysQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const [openedMs] = useState(() => Date.now());
  const nowMs = Math.max(openedMs, list.dataUpdatedAt);
  const all = list.data?.pages.flatMap(({ data }) => data);
  const isOver = (key: ApiKey) => ['revoked', 'expired'].includes(stateOf(key, nowMs));
  const show = (keys: readonly ApiKey[], title: string) =>
    keys.length > 0 && (
      <SettingsList label={title}>
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} nowMs={nowMs} onAct={(act) => setOpen({ act, apiKey: key })} />
        ))}
      </SettingsList>
    );
  return (
    <SettingsPage
      title={texts.title}
      about={texts.about}
      act={
        <Button kind="main" isDisabled={!all || !online} onPress={() => setOpen({ act: 'create' })}>
          {texts.create}
        </Button>
      }
    >
      <NotLoaded query={list} />
      {all?.length === 0 && <EmptyState title={texts.none} hint={texts.noneHint} />}
      {all &&
        show(
          all.filter((key) => !isOver(key)),
          texts.title,
        )}
      {all?.some(isOver) && <h2>{texts.over}</h2>}
      {all && show(all.filter(isOver), texts.over)}
      {list.hasNextPage && (
        <div>
          <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      )}
      <Suspense>
        {open?.act === 'certification' && (
          <CertificationDialog apiKey={open.apiKey} onClose={() => setOpen(null)} />
        )}
        {open?.act === 'create' && <CreateDialog onClose={() => setOpen(null)} />}
        {open?.act === 'rotate' && <RotateDialog apiKey={open.apiKey} onClose={() => setOpen(null)} />}
        {open?.act === 'revoke' && <RevokeDialog apiKey={open.apiKey} onClose={() => setOpen(null)} />}
      </Suspense>
    </SettingsPage>
  );
}

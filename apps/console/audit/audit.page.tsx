import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { EmptyList } from '../controls/empty-state';
import { ListPage } from '../lists/list-page';
import { RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { useKeys } from '../keyboard/keys';
import { useListAddress } from '../lists/list-address';
import { useListKeys } from '../keyboard/list-keys';
import { useFormats } from '../text/texts';
import { AuditHead } from './audit-filters';
import { filtersOf, NO_FILTER } from './audit-search';
import { type Names, useAuditTexts, useEntryText } from './audit-texts';
import { auditList, type Entry } from './audit.calls';
import css from './audit.module.css';
import { OpenEntry } from './open-entry';

const VerifyDialog = lazy(() => import('./verify-dialog'));
const route = getRouteApi('/inside/audit');

/** Who did what, and when: the newest first, filtered by the server. The address holds filters and the open entry. */
export default function AuditPage() {
  const texts = useAuditTexts();
  const address = useListAddress(route.useSearch(), route.useNavigate(), NO_FILTER);
  const { search, open, show, onClear } = address;
  const [nowMs] = useState(() => Date.now());
  const [isVerifying, setVerifying] = useState(false);
  const filters = filtersOf(search, nowMs);
  const list = useInfiniteQuery(auditList(filters));
  const pages = list.data?.pages;
  const rows = useMemo(() => (pages ?? []).flatMap(({ entries }) => entries), [pages]);
  const names = useMemo(() => new Map((pages ?? []).flatMap((page) => [...page.names])), [pages]);
  const selectedId = useListKeys(rows, search.id, open, texts);
  const verify = () => setVerifying(true);
  useKeys('page', [{ keys: 'v', does: texts.verify, run: verify }]);
  const total = pages?.[0]?.pagination.total;
  return (
    <>
      <ListPage
        head={<AuditHead address={address} filters={filters} names={names} total={total} onVerify={verify} />}
        list={list}
        empty={
          list.isSuccess && rows.length === 0 ? (
            <EmptyList title={onClear ? texts.emptyFiltered : texts.emptyNone} onClear={onClear} />
          ) : null
        }
        table={
          <AuditTable
            rows={rows}
            names={names}
            selectedId={selectedId}
            total={total ?? 0}
            list={list}
            onOpen={open}
          />
        }
        detail={
          search.id !== undefined &&
          list.isSuccess && (
            <OpenEntry
              key={search.id}
              entry={rows.find(({ id }) => id === search.id)}
              names={names}
              onClose={() => open(undefined)}
              onFilter={(change) => show({ ...NO_FILTER, ...change })}
            />
          )
        }
      />
      <Suspense>{isVerifying && <VerifyDialog onClose={() => setVerifying(false)} />}</Suspense>
    </>
  );
}

/** Height of a card in px. */
const CARD_PX = 76;
const COLUMNS = ['at', 'who', 'what', 'object'] as const;

interface Props extends ListedRows<Entry> {
  names: Names;
  total: number;
  onOpen: (id: string) => void;
}

function AuditTable({ names, ...list }: Props) {
  const texts = useAuditTexts();
  return (
    <RowGrid
      {...list}
      label={texts.title}
      className={css.table ?? ''}
      columns={COLUMNS.map((column) => ({ name: texts.column[column], className: css[column] }))}
      cardPx={CARD_PX}
      cells={(entry) => <Cells entry={entry} names={names} />}
    />
  );
}

function Cells({ entry, names }: { entry: Entry; names: Names }) {
  const formats = useFormats();
  const { who, what, which } = useEntryText(names);
  return (
    <>
      <span role="gridcell" className={css.at}>
        <time dateTime={entry.at} title={formats.exact(entry.at)}>
          {formats.dateTime(entry.at)}
        </time>
      </span>
      <TextCell className={css.who} text={who(entry.actor)} />
      <TextCell className={css.what} text={what(entry.action)} />
      <TextCell className={css.object} text={which(entry.object)} />
    </>
  );
}

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
import { foldOpenings, type Row } from './folded-openings';
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
  const { rows, rowOf, isFolded, isUnfolded, toggle } = useFolds(pages);
  const names = useMemo(() => new Map((pages ?? []).flatMap((page) => [...page.names])), [pages]);
  const selectedId = useListKeys(rows, rowOf(search.id)?.id ?? search.id, open, texts);
  const verify = () => setVerifying(true);
  const row = rowOf(search.id ?? selectedId);
  const fold = { does: isUnfolded(row) ? texts.fold : texts.unfold, run: () => toggle(row) };
  useKeys('page', [
    { keys: 'v', does: texts.verify, run: verify },
    { keys: 'f', ...fold },
  ]);
  const total = pages?.[0]?.pagination.total;
  return (
    <>
      <ListPage
        head={
          <AuditHead
            address={address}
            filters={filters}
            names={names}
            total={total}
            isFolded={isFolded}
            onVerify={verify}
          />
        }
        list={list}
        empty={
          list.isSuccess && rows.length === 0 ? (
            <EmptyList
              title={onClear ? texts.emptyFiltered : texts.emptyNone}
              hint={texts.emptyNoneHint}
              onClear={onClear}
            />
          ) : null
        }
        table={
          <AuditTable
            isUnfolded={isUnfolded}
            rows={rows}
            names={names}
            selectedId={selectedId}
            total={list.hasNextPage ? (total ?? 0) : rows.length}
            list={list}
            onOpen={open}
          />
        }
        detail={
          search.id !== undefined &&
          list.isSuccess && (
            <OpenEntry
              key={search.id}
              id={search.id}
              openings={row?.openings ?? []}
              fold={fold}
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

/** The rows, and which of them are shown one by one. */
function useFolds(pages: readonly { entries: readonly Entry[] }[] | undefined) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const entries = useMemo(() => (pages ?? []).flatMap((page) => page.entries), [pages]);
  const rows = useMemo(() => foldOpenings(entries, unfolded), [entries, unfolded]);
  const foldOf = (row: Row | undefined) => row?.openings[0]?.id ?? '';
  return {
    rows,
    isFolded: rows.length < entries.length,
    /** Also of an entry that its row represents. */
    rowOf: (sought: string | undefined) =>
      rows.find(({ id }) => id === sought) ??
      rows.find(({ openings }) => openings.some(({ id }) => id === sought)),
    isUnfolded: (row: Row | undefined) => unfolded.has(foldOf(row)),
    toggle: (row: Row | undefined) => {
      if (!row || row.openings.length < 2) return;
      const [fold, others] = [foldOf(row), [...unfolded].filter((id) => id !== foldOf(row))];
      setUnfolded(new Set(unfolded.has(fold) ? others : [...others, fold]));
    },
  };
}

/** Height of a card in px. */
const CARD_PX = 76;
const COLUMNS = ['at', 'who', 'what', 'object'] as const;

interface Props extends ListedRows<Row> {
  names: Names;
  isUnfolded: (row: Row) => boolean;
  total: number;
  onOpen: (id: string) => void;
}

function AuditTable({ names, isUnfolded, ...list }: Props) {
  const texts = useAuditTexts();
  return (
    <RowGrid
      {...list}
      label={texts.title}
      className={css.table ?? ''}
      columns={COLUMNS.map((column) => ({ name: texts.column[column], className: css[column] }))}
      cardPx={CARD_PX}
      cells={(row) => <Cells entry={row} openings={isUnfolded(row) ? [] : row.openings} names={names} />}
    />
  );
}

function Cells({ entry, openings, names }: { entry: Entry; openings: readonly Entry[]; names: Names }) {
  const formats = useFormats();
  const { who, what, which } = useEntryText(names);
  const often = useOftenText();
  return (
    <>
      <span role="gridcell" className={css.at}>
        <time dateTime={entry.at} title={formats.exact(entry.at)}>
          {formats.dateTime(entry.at)}
        </time>
      </span>
      <TextCell className={css.who} text={who(entry.actor)} />
      <span role="gridcell" className={css.what} title={`${what(entry.action)}${often(openings)}`}>
        {what(entry.action)}
        <span className={css.often}>{often(openings)}</span>
      </span>
      <TextCell className={css.object} text={which(entry.object)} />
    </>
  );
}

/** How often and in which time, for more than one; the day is named where it is another one. */
function useOftenText() {
  const texts = useAuditTexts();
  const formats = useFormats();
  return (openings: readonly Entry[]): string => {
    const [last, first] = [openings[0], openings.at(-1)];
    if (!last || !first || last === first) return '';
    const isOneDay = formats.date(last.at) === formats.date(first.at);
    const timeOf = isOneDay ? formats.time : formats.dateTime;
    const times = [...new Set([first, last].map(({ at }) => timeOf(at)))];
    return ` · ${texts.openings(formats.number(openings.length), times)}`;
  };
}

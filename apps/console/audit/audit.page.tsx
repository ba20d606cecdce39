import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { EmptyList, ListPage } from '../controls/list-page';
import { Fault } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useListAddress } from '../shell/list-address';
import { useListKeys } from '../shell/list-keys';
import { useSession } from '../shell/session.calls';
import { AuditHead } from './audit-filters';
import { filtersOf, isFiltered, NO_FILTER } from './audit-search';
import { AuditTable } from './audit-table';
import { useAuditTexts } from './audit-texts';
import { auditList } from './audit.calls';
import { OpenEntry } from './open-entry';

const VerifyDialog = lazy(() => import('./verify-dialog'));
const route = getRouteApi('/inside/audit');

/** Who did what, and when: the newest first, filtered by the server. The address holds filters and the open entry. */
export function AuditPage() {
  const texts = useAuditTexts();
  const { search, open, show, go } = useListAddress(route.useSearch(), route.useNavigate());
  const { org } = useSession();
  const [nowMs] = useState(() => Date.now());
  const [isVerifying, setVerifying] = useState(false);
  const filters = filtersOf(search, nowMs);
  const list = useInfiniteQuery(auditList(org.id, filters));
  const pages = list.data?.pages;
  const rows = useMemo(() => (pages ?? []).flatMap(({ entries }) => entries), [pages]);
  const names = useMemo(() => new Map((pages ?? []).flatMap((page) => [...page.names])), [pages]);
  const selectedId = useListKeys(rows, search.id, open, texts);
  const verify = () => setVerifying(true);
  useKeys('page', [{ keys: 'v', does: texts.verify, run: verify }]);
  const total = pages?.[0]?.pagination.total;
  const filtered = isFiltered(search);
  return (
    <>
      <ListPage
        head={
          <AuditHead
            search={search}
            filters={filters}
            names={names}
            total={total}
            onChange={show}
            onShow={go}
            onVerify={verify}
          />
        }
        fault={list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
        isLoading={list.isPending}
        empty={
          list.isSuccess && rows.length === 0 ? (
            <EmptyList
              title={filtered ? texts.emptyFiltered : texts.emptyNone}
              onClear={filtered ? () => show(NO_FILTER) : null}
            />
          ) : null
        }
        table={
          <AuditTable
            rows={rows}
            names={names}
            selectedId={selectedId}
            total={total ?? 0}
            hasMore={list.hasNextPage && !list.isFetchingNextPage}
            onMore={() => void list.fetchNextPage()}
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

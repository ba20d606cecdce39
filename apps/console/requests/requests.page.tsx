import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef } from 'react';
import type { ReviewCounts, ReviewRow } from '@offizin/contracts/review';
import { EmptyList } from '../controls/list-page';
import { Fault } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useStepKeys } from '../shell/list-keys';
import { lock, useLock } from '../shell/lock';
import { News } from '../live/news';
import { usePresence } from '../live/presence';
import { useSession } from '../shell/session.calls';
import { useWayBack } from '../shell/way-back';
import { useTexts } from '../text/texts';
import { filtersOf, isFiltered, NO_FILTER, type RequestSearch } from './filters';
import { RequestFilters } from './request-filters';
import { RequestList } from './request-list';
import {
  forgetDocuments,
  requestCounts,
  requestDetail,
  requestDocument,
  requestList,
} from './requests.calls';
import { reviewSettings } from './review-settings';
import { type Decisions, useDecisions } from './use-decisions';
import { type Quiet, useQuietRows } from '../live/use-quiet-rows';
import css from './requests.module.css';
import { WaitingRequest } from './waiting-request';

const route = getRouteApi('/inside/requests');

/** Asked for at once, beside the list's call: the list is shown without it. */
const loading = import('./open-request');
loading.catch(() => undefined);
const OpenRequest = lazy(async () => ({ default: (await loading).OpenRequest }));

/** Below it, list and review are pages of their own; requests.module.css has the same. */
const NARROW_PX = 720;

/** The inbox: list, review and document. The address holds filter, sort and the open request. */
export function RequestsPage() {
  const { search, open, back, show, go } = useAddress();
  const { pane, showPane } = usePane(search, show);
  const { org } = useSession();
  const list = useList(org.id, search);
  const { data: counts } = useQuery(requestCounts(org.id));
  const decisions = useDecisions(back);
  const { rows, waiting, showAll } = useQuietRows(
    JSON.stringify(filtersOf(search)),
    useRows(list.data?.pages, decisions.decided),
  );
  usePresence(search.id);
  const selected = rows.findIndex(({ id }) => id === search.id);
  const after = selected >= 0 ? (rows[selected + 1] ?? rows[selected - 1]) : undefined;
  useOpenFirst(search.id, rows[0]?.id, open);
  useFetchAhead(org.id, search.id);
  useFetchAhead(org.id, rows[selected + 1]?.id);
  const { data: settings } = useQuery(reviewSettings(org.id));
  const hasSecondLook = settings !== undefined && settings.four_eyes !== 'off';
  useStepKeys(rows, { place: selected, move: open }, useTexts().requests);
  const keepFocus = useListFocus(search.id);
  return (
    <div className={css.page} data-open={search.id !== undefined} data-pane={pane}>
      <ListPane
        search={search}
        show={show}
        go={go}
        open={open}
        list={list}
        counts={counts}
        hasSecondLook={hasSecondLook}
        rows={rows}
        waiting={waiting}
        showAll={showAll}
      />
      {search.id !== undefined && (
        <Suspense fallback={<WaitingRequest />}>
          <OpenRequest
            key={search.id}
            id={search.id}
            pane={pane}
            onPane={showPane}
            taken={decisions.decided.get(search.id)}
            onUndo={() => {
              if (search.id !== undefined) decisions.undo(search.id);
            }}
            onShow={back}
            onDecide={(request, act) => {
              if (!decisions.decide(request, act)) return;
              keepFocus();
              open(after?.id);
            }}
            onClose={() => {
              open(undefined);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/**
 * The buttons of a decided request are gone, and the focus with them. It goes to the list, where the next one is marked;
 * without a list, to the page. Returns the function to call before another request opens.
 */
function useListFocus(id: string | undefined): () => void {
  const isWanted = useRef(false);
  useEffect(() => {
    if (!isWanted.current) return;
    isWanted.current = false;
    // A dialog gives the focus back after it has gone.
    requestAnimationFrame(() => {
      for (const place of ['main [role=listbox]', 'main']) {
        if (document.activeElement !== document.body) return;
        document.querySelector<HTMLElement>(place)?.focus({ preventScroll: true });
      }
    });
  }, [id]);
  return () => {
    isWanted.current = true;
  };
}

function useList(orgId: string, search: RequestSearch) {
  return useInfiniteQuery(requestList(orgId, filtersOf(search)));
}

interface ListPaneProps extends Pick<Quiet<ReviewRow>, 'rows' | 'waiting' | 'showAll'> {
  search: RequestSearch;
  show: (change: Partial<RequestSearch>) => void;
  go: (search: RequestSearch, isStep: boolean) => void;
  open: (id: string) => void;
  list: ReturnType<typeof useList>;
  counts: ReviewCounts | undefined;
  hasSecondLook: boolean;
}

/** Filters, the pill with what is new, and the rows. */
function ListPane({ search, show, go, open, list, rows, waiting, showAll, ...known }: ListPaneProps) {
  const { counts } = known;
  const texts = useTexts();
  const isEmpty = list.isSuccess && rows.length === 0;
  const total = list.data?.pages[0]?.total;
  return (
    <section className={css.list}>
      <RequestFilters
        search={search}
        total={total}
        {...known}
        news={
          <News
            count={waiting}
            name={texts.requests.news(waiting)}
            does={texts.live.showNews}
            onShow={showAll}
          />
        }
        onChange={(change) => {
          show({ id: undefined, ...change });
        }}
        onShow={go}
      />
      {list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
      {isEmpty && (
        <Empty
          search={search}
          counts={counts}
          onClear={() => {
            show(NO_FILTER);
          }}
        />
      )}
      {!isEmpty && (
        <RequestList
          rows={rows}
          total={total ?? 0}
          selectedId={search.id}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          onMore={() => void list.fetchNextPage()}
          onOpen={open}
        />
      )}
    </section>
  );
}

/**
 * Reads and writes the address. Opening a request adds a step for "back"; a filter or a pane does not. Each request begins
 * with its review.
 */
function useAddress() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const open = useCallback(
    (id: string | undefined, isFirst = false) =>
      void navigate({ search: (before) => ({ ...before, id, pane: undefined }), replace: isFirst }),
    [navigate],
  );
  const show = (change: Partial<RequestSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const go = (wanted: RequestSearch, isStep: boolean) =>
    void navigate({ search: () => wanted, replace: !isStep });
  const back = useWayBack('/requests');
  return { search, open, back, show, go };
}

/** On a screen too narrow for both: review or document. */
function usePane(search: RequestSearch, show: (change: Partial<RequestSearch>) => void) {
  const texts = useTexts().requests;
  const pane: 'review' | 'document' = search.pane ?? 'review';
  const showPane = (shown: 'review' | 'document') => {
    show({ pane: shown === 'document' ? shown : undefined });
  };
  const turn = () => {
    showPane(pane === 'document' ? 'review' : 'document');
  };
  useKeys('page', [{ keys: 'd', does: texts.otherPane, run: turn }]);
  return { pane, showPane };
}

/** The first row becomes part of the address at once: "no id" must never mean "whatever is first now". */
function useOpenFirst(
  id: string | undefined,
  firstId: string | undefined,
  open: (id: string, isFirst: boolean) => void,
): void {
  useEffect(() => {
    // On a narrow screen the list is a page of its own.
    if (id === undefined && firstId !== undefined && window.innerWidth >= NARROW_PX) open(firstId, true);
  }, [id, firstId, open]);
}

function useRows(
  pages: readonly { data: ReviewRow[] }[] | undefined,
  decided: Decisions['decided'],
): ReviewRow[] {
  return useMemo(
    () => (pages ?? []).flatMap(({ data }) => data).filter(({ id }) => !decided.has(id)),
    [pages, decided],
  );
}

/** The next request is there before its turn, with its document. */
function useFetchAhead(orgId: string, id: string | undefined): void {
  const client = useQueryClient();
  const isLocked = useLock() !== null;
  useEffect(() => {
    if (isLocked) forgetDocuments(client);
    else if (id !== undefined) fetchAhead(client, orgId, id).catch(() => undefined);
  }, [client, orgId, id, isLocked]);
}

async function fetchAhead(client: QueryClient, orgId: string, id: string): Promise<void> {
  const { version, prescription } = await client.query(requestDetail(orgId, id));
  if (prescription?.state === 'stored' && lock.current() === null)
    await client.query(requestDocument(orgId, id, version));
}

interface EmptyProps {
  search: RequestSearch;
  counts: ReviewCounts | undefined;
  onClear: () => void;
}

/** Three kinds of nothing: none at all, none under this filter, all done. */
function Empty({ search, counts, onClear }: EmptyProps) {
  const texts = useTexts().requests;
  if (isFiltered(search)) return <EmptyList title={texts.emptyFiltered} onClear={onClear} />;
  const isNew =
    counts !== undefined && counts.open + counts.second_look + counts.asked + counts.decided === 0;
  return <EmptyList title={isNew ? texts.emptyNone : texts.emptyDone} onClear={null} />;
}

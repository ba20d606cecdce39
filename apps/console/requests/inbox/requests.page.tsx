import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef } from 'react';
import type { ReviewCounts, ReviewRow } from '@offizin/contracts/requests/review';
import { HeldScreen } from '../held/held-screen';
import { type HeldActs, useHeld } from '../held/use-held';
import { News } from '../../live/news';
import { usePresence } from '../../live/presence';
import { type Quiet, useQuietRows } from '../../live/use-quiet-rows';
import { Fault } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import { usePlace, useStepKeys } from '../../keyboard/list-keys';
import { lock, useLock } from '../../session/lock';
import { useSession } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { type Selecting, useSelection } from '../../lists/use-selection';
import { useWayBack } from '../../lists/way-back';
import { readableName } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { filtersOf, NO_FILTER, type RequestSearch } from '../review/filters';
import { waitingFirst } from '../edits/first-approval';
import { showRefusal } from '../review/refusal-toast';
import { RequestFilters } from './request-filters';
import { RequestList } from './request-list';
import {
  type Act,
  forgetDocuments,
  requestCounts,
  requestDetail,
  requestDocument,
  requestList,
  sendDecision,
  untilMarked,
} from '../review/requests.calls';
import css from '../review/requests.module.css';
import { reviewSettings } from '../review/review-settings';
import { forgetTyped, keepProblems } from '../review/use-edits';
import { WaitingRequest } from '../review/waiting-request';

const route = getRouteApi('/inside/requests');

/** Requested together with the list; the list does not wait for it. */
const loading = import('../review/open-request');
loading.catch(() => undefined);
const OpenRequest = lazy(() => loading);

const Empty = lazy(() => import('./empty'));
const UnpaidLine = lazy(() => import('./unpaid-line'));
const SelectionBar = lazy(() => import('./selection-bar'));

/** Below it, list and review are separate pages; requests.module.css has the same. */
const NARROW_PX = 720;

/** The page of requests: list, review and document. The address holds filter, sort and the open request. */
export default function RequestsPage() {
  const { search, open, back, show, go } = useAddress();
  const { pane, showPane } = usePane(search, show);
  const list = useList(search);
  const { data: counts } = useQuery(requestCounts(filtersOf(search)));
  const decisions = useDecisions(back);
  const { rows, waiting, showAll } = useQuietRows(
    JSON.stringify(filtersOf(search)),
    useRows(list.data?.pages, decisions.decided),
  );
  usePresence(search.id);
  // A request that a colleague has decided keeps its place.
  const place = usePlace(rows, search.id);
  const next = rows[Math.floor(place + 1)];
  const after = next ?? rows[Math.ceil(place - 1)];
  const selecting = useSelection(rows, {
    screen: 'requests',
    cursorId: search.id,
    isLoaded: list.isSuccess && !list.isPlaceholderData,
    one: useTexts().requests.selectOne,
  });
  useOpenFirst(search.id, rows[0]?.id, open);
  useFetchAhead(search.id);
  useFetchAhead(next?.id);
  const { data: settings } = useQuery(reviewSettings);
  const hasSecondLook = settings !== undefined && settings.four_eyes !== 'off';
  useStepKeys(rows, { place, move: (id) => open(id, true) }, useTexts().requests);
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
        selecting={selecting}
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
 * The buttons of a decided request are gone, and the focus with them. It goes to the list, where the next one is
 * marked; without a list, to the page. Returns the function to call before another request opens.
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

function useList(search: RequestSearch) {
  return useInfiniteQuery(requestList(filtersOf(search)));
}

interface ListPaneProps extends Pick<Quiet<ReviewRow>, 'rows' | 'waiting' | 'showAll'> {
  search: RequestSearch;
  show: (change: Partial<RequestSearch>) => void;
  go: (search: RequestSearch, isStep: boolean) => void;
  open: (id: string) => void;
  list: ReturnType<typeof useList>;
  counts: ReviewCounts | undefined;
  hasSecondLook: boolean;
  selecting: Selecting<ReviewRow>;
}

/** Filters, the pill with what is new, and the rows. */
function ListPane({ search, show, go, open, list, selecting, ...known }: ListPaneProps) {
  const { counts, rows, waiting, showAll } = known;
  const hasSelection = selecting.selection.size > 0;
  const texts = useTexts();
  const isEmpty = list.isSuccess && rows.length === 0;
  const total = list.data?.pages[0]?.total;
  return (
    <section className={css.list}>
      <RequestFilters
        search={search}
        {...known}
        hasSelection={hasSelection}
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
      {search.tab === 'decided' && (
        <Link to="/requests/day" className={css.day ?? ''}>
          {texts.requests.day}
        </Link>
      )}
      <Suspense>
        <UnpaidLine />
      </Suspense>
      {list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
      <Suspense>
        {isEmpty && <Empty search={search} counts={counts} onClear={() => show(NO_FILTER)} />}
      </Suspense>
      {!isEmpty && (
        <RequestList
          rows={rows}
          total={total ?? 0}
          selectedId={search.id}
          list={list}
          onOpen={open}
          selecting={selecting}
        />
      )}
      <Suspense>{hasSelection && <SelectionBar selecting={selecting} search={search} />}</Suspense>
    </section>
  );
}

/**
 * Reads and writes the address. Opening a request adds a step for "back"; j and k, a filter or a pane do not. Each
 * request begins with its review.
 */
function useAddress() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const open = useCallback(
    (id: string | undefined, replace = false) =>
      void navigate({ search: (before) => ({ ...before, id, pane: undefined }), replace }),
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

/** The first row becomes part of the address immediately: "no id" must never mean "whatever is first now". */
function useOpenFirst(
  id: string | undefined,
  firstId: string | undefined,
  open: (id: string, replace: boolean) => void,
): void {
  useEffect(() => {
    // On a narrow screen the list is a separate page.
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

/** The next request is there before its turn, with its documents. */
function useFetchAhead(id: string | undefined): void {
  const client = useQueryClient();
  const isLocked = useLock() !== null;
  useEffect(() => {
    if (isLocked) forgetDocuments(client);
    else if (id !== undefined) fetchAhead(client, id).catch(() => undefined);
  }, [client, id, isLocked]);
}

async function fetchAhead(client: QueryClient, id: string): Promise<void> {
  const { documents } = await client.query(requestDetail(id));
  for (const document of documents)
    if (document.state === 'stored' && lock.current() === null)
      await client.query(requestDocument(id, document));
}

type Decisions = HeldActs<Act>;

const held = new HeldScreen<Act>('requests');
/** The status that a decision leads to. */
const BECOMES = {
  approve: 'approved',
  reject: 'rejected',
  ask: 'needs_clarification',
  offer: 'needs_clarification',
} as const;

/** The held decisions about requests, with their messages. `onBack`: an undone request is to be shown again. */
function useDecisions(onBack: (id: string) => void): Decisions {
  const texts = useTexts();
  const formats = useFormats();
  const { staff } = useSession();
  const client = useQueryClient();
  const words = texts.requests;
  const readAgain = () => client.invalidateQueries({ queryKey: ['requests'] });
  return useHeld<Act>(held, {
    send: async (decision, keepalive) => {
      if (!keepalive) await untilMarked(client, decision.id);
      const reply = await sendDecision(decision, keepalive);
      if (isFirstApproval(reply)) toasts.show({ text: words.secondLook.sent(decision.customer) });
    },
    onSent: (decision) => {
      forgetTyped(client, decision);
      return readAgain();
    },
    onRefused: (decision, error) => {
      const { id, customer } = decision;
      keepProblems(client, decision, error);
      showRefusal(error, { id, customer, told: words.refused, onShow: onBack }, texts, formats);
      // The row comes back; what the person is reading stays.
      void readAgain();
    },
    onBack,
    becomes: ({ kind }) => ({ status: BECOMES[kind] }),
    read: async (id) => {
      const { customer_name: name, ...found } = await client.query({
        ...requestDetail(id),
        staleTime: 0,
      });
      // A first approval has done what it could.
      const isOwnFirst = waitingFirst(found)?.staff_id === staff.id;
      const status = isOwnFirst ? BECOMES.approve : found.status;
      return { customer: readableName(name) ?? words.nameless, fields: { status } };
    },
    words: {
      held: ({ act, customer }) => words.held[act.kind](customer),
      undo: words.undo,
      away: words.away,
      left: (customer) => words.refused(customer ?? words.nameless, words.leftPage),
      show: words.show,
    },
  });
}

/** The answer of an approval that waits for a second one. */
function isFirstApproval(reply: unknown): boolean {
  return typeof reply === 'object' && reply !== null && 'first_approval' in reply;
}

import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  ApproveBody,
  ClarificationBody,
  RejectBody,
} from '@offizin/contracts/requests/order-request-review';
import type { OfferBody } from '@offizin/contracts/requests/offers';
import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import type {
  PrescriberCheckBody,
  PrescriberCheckResponse,
} from '@offizin/contracts/requests/prescriber-check';
import type { ReviewDetail, ReviewMarks, ReviewMarksBody } from '@offizin/contracts/requests/review';
import type { DayCheckResponse } from '@offizin/contracts/requests/day';
import type { ReviewPlan, ReviewPlanBody } from '@offizin/contracts/requests/review-plan';
import type { Held } from '../held/held-decisions';
import { askEvery } from '../../live/live';
import { withoutUndefined } from '../../lists/address';
import { addressOfDocument, call, callDocument, callFile } from '../../calls/api';
import type { RequestFilters } from './filters';

/** The calls of the review screen. Nothing else in this folder speaks HTTP. */

const REVIEWS = '/api/v2/public/orgs/{orgId}/review/requests';
const REVIEW = `${REVIEWS}/{requestId}` as const;
/** The decisions are operations of the organization API. */
const REQUEST = '/api/v2/public/orgs/{orgId}/order-requests/{requestId}';

const PAGE_ROWS = 200;
const FRESH_MS = 10_000;

/** Not below 'requests': what makes a request stale does not change a document. */
const DOCUMENTS = ['documents'];
const DOCUMENT_KEPT_MS = 60_000;

export function requestList(filters: RequestFilters) {
  return infiniteQueryOptions({
    queryKey: ['requests', 'list', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', REVIEWS, {
        query: { ...filters, limit: PAGE_ROWS, cursor },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: askEvery,
  });
}

/** All requests of a list, or those of `ids`. Rejects with `ApiError`, also when the transfer breaks off. */
export function requestFile(query: RequestFilters & { ids?: string }, type: string): Promise<Blob> {
  return callFile(REVIEWS, type, { query });
}

/** The approvals of a day of Berlin. */
export function dayApprovals(on: string) {
  return queryOptions({
    queryKey: ['requests', 'day', on],
    queryFn: ({ signal }) => call('GET', '/api/v2/public/orgs/{orgId}/review/day', { query: { on }, signal }),
    refetchInterval: askEvery,
  });
}

export function requestCounts({ shop_id, q }: Pick<RequestFilters, 'shop_id' | 'q'> = {}) {
  const query = withoutUndefined({ shop_id, q });
  return queryOptions({
    queryKey: ['requests', 'counts', query],
    queryFn: ({ signal }) => call('GET', '/api/v2/public/orgs/{orgId}/review/counts', { query, signal }),
    refetchInterval: askEvery,
  });
}

export function requestDetail(requestId: string) {
  return queryOptions({
    queryKey: ['requests', 'detail', requestId],
    queryFn: async ({ signal, client, queryKey }) => {
      const isMarking = (): boolean => client.isMutating({ mutationKey: ['marks', requestId] }) > 0;
      const wasMarking = isMarking();
      const detail = await call('GET', REVIEW, { path: { requestId }, signal });
      const shown = client.getQueryData<ReviewDetail>(queryKey);
      // The answer may not know marks that are being saved; the saving answers with all of them.
      const keeps = (wasMarking || isMarking()) && shown?.version === detail.version;
      return keeps ? { ...detail, marks: shown.marks } : detail;
    },
    staleTime: FRESH_MS,
  });
}

export function foundProducts(q: string) {
  return queryOptions({
    queryKey: ['requests', 'products', q],
    queryFn: ({ signal }) =>
      call('GET', '/api/v2/public/orgs/{orgId}/review/products', {
        query: q === '' ? {} : { q },
        signal,
      }),
    staleTime: FRESH_MS,
  });
}

/** A document never changes: a later one has another version. */
export type DocumentKey = Pick<ReviewDetail['documents'][number], 'number' | 'version'>;

/** Kept for a moment after it was fetched ahead or looked at; a locked screen keeps none (`forgetDocuments`). */
export function requestDocument(requestId: string, { number, version }: DocumentKey) {
  return queryOptions({
    queryKey: [...DOCUMENTS, requestId, number, version],
    queryFn: ({ signal }) =>
      callDocument(`${REVIEW}/prescription.pdf`, {
        path: { requestId },
        query: { number, version },
        signal,
      }),
    staleTime: 'static',
    gcTime: DOCUMENT_KEPT_MS,
  });
}

export function forgetDocuments(client: QueryClient): void {
  client.removeQueries({ queryKey: DOCUMENTS });
}

/** Where the browser loads the document itself, as a file to save. */
export function documentAddress(requestId: string, { number, version }: DocumentKey): string {
  const query = { number, version };
  return addressOfDocument(`${REVIEW}/prescription.pdf`, { path: { requestId }, query });
}

/** Documents are fetched ahead; this reports that a person really looks at one. */
export function noteView(requestId: string, { number, version }: DocumentKey): Promise<void> {
  return call('POST', `${REVIEW}/viewed`, { path: { requestId }, query: { number, version } });
}

/** Each call is a look in the audit log, so that nothing keeps the answer. */
export function readToken(requestId: string): Promise<EPrescription> {
  return call('GET', `${REVIEW}/e-prescription`, { path: { requestId } });
}

export function checkPrescriber(
  requestId: string,
  body: PrescriberCheckBody,
): Promise<PrescriberCheckResponse> {
  return call('PUT', `${REVIEW}/prescriber`, { path: { requestId }, body });
}

/** Resolves when no mark of the request is being saved: a decision must not overtake the marks that it relies on. */
export async function untilMarked(client: QueryClient, requestId: string): Promise<void> {
  const isMarking = (): boolean => client.isMutating({ mutationKey: ['marks', requestId] }) > 0;
  if (!isMarking()) return;
  await new Promise<void>((resolve) => {
    const stop = client.getMutationCache().subscribe(() => {
      if (isMarking()) return;
      stop();
      resolve();
    });
  });
}

export function saveMarks(requestId: string, body: ReviewMarksBody): Promise<ReviewMarks> {
  return call('PUT', `${REVIEW}/marks`, { path: { requestId }, body });
}

export function planRequest(requestId: string, body: ReviewPlanBody): Promise<ReviewPlan> {
  return call('PUT', `${REVIEW}/plan`, { path: { requestId }, body });
}

export function checkDay(requestId: string, checked: boolean): Promise<DayCheckResponse> {
  return call('PUT', `${REVIEW}/day-check`, { path: { requestId }, body: { checked } });
}

export const reviewPeople = queryOptions({
  queryKey: ['requests', 'people'],
  queryFn: ({ signal }) => call('GET', '/api/v2/public/orgs/{orgId}/review/people', { signal }),
  staleTime: FRESH_MS,
});

/** The key makes a decision that is sent twice one decision. `keepalive` outlives the page. */
export function sendDecision(decision: Decision, keepalive: boolean): Promise<unknown> {
  const { id: requestId, key, act } = decision;
  const { version } = act;
  const sent = { path: { requestId }, header: { 'Idempotency-Key': key }, keepalive };
  switch (act.kind) {
    case 'approve':
      return call('POST', `${REQUEST}/approve`, { ...sent, body: { ...act.body, version } });
    case 'reject':
      return call('POST', `${REQUEST}/reject`, { ...sent, body: { ...act.body, version } });
    case 'ask':
      return call('POST', `${REQUEST}/request-clarification`, { ...sent, body: { ...act.body, version } });
    case 'offer':
      return call('POST', `${REQUEST}/offer`, { ...sent, body: { ...act.body, version } });
  }
}

export function withdrawQuestion(requestId: string): Promise<unknown> {
  return call('POST', `${REQUEST}/withdraw-clarification`, { path: { requestId } });
}

export function withdrawFirstApproval(requestId: string): Promise<unknown> {
  return call('POST', `${REVIEW}/withdraw-approval`, { path: { requestId } });
}

export function fetchDocumentAgain(requestId: string): Promise<unknown> {
  return call('POST', `${REQUEST}/retry-fetch`, { path: { requestId } });
}

/** What a person has decided about one request. */
export type Choice =
  | { kind: 'approve'; body: ApproveBody }
  | { kind: 'reject'; body: RejectBody }
  | { kind: 'ask'; body: ClarificationBody }
  | { kind: 'offer'; body: Omit<OfferBody, 'version'> };

/** The decision belongs to the version that was on the screen. */
export type Act = Choice & { version: number };

export type Decision = Held<Act>;

import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  ApproveBody,
  ClarificationBody,
  RejectBody,
} from '@offizin/contracts/requests/order-request-review';
import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import type {
  PrescriberCheckBody,
  PrescriberCheckResponse,
  ReviewDetail,
  ReviewMarks,
  ReviewMarksBody,
} from '@offizin/contracts/requests/review';
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

export function requestList(orgId: string, filters: RequestFilters) {
  return infiniteQueryOptions({
    queryKey: ['requests', 'list', orgId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', REVIEWS, {
        path: { orgId },
        query: { ...filters, limit: PAGE_ROWS, cursor },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: askEvery,
  });
}

/** All requests of a list, or those of `ids`. Rejects with `ApiError`, also when the transfer breaks off. */
export function requestFile(
  orgId: string,
  query: RequestFilters & { ids?: string },
  type: string,
): Promise<Blob> {
  return callFile(REVIEWS, type, { path: { orgId }, query });
}

/** The approvals of a day of Berlin. */
export function dayApprovals(orgId: string, on: string) {
  return queryOptions({
    queryKey: ['requests', 'day', orgId, on],
    queryFn: ({ signal }) =>
      call('GET', '/api/v2/public/orgs/{orgId}/review/day', { path: { orgId }, query: { on }, signal }),
    refetchInterval: askEvery,
  });
}

export function requestCounts(orgId: string, { shop_id, q }: Pick<RequestFilters, 'shop_id' | 'q'> = {}) {
  const query = withoutUndefined({ shop_id, q });
  return queryOptions({
    queryKey: ['requests', 'counts', orgId, query],
    queryFn: ({ signal }) =>
      call('GET', '/api/v2/public/orgs/{orgId}/review/counts', { path: { orgId }, query, signal }),
    refetchInterval: askEvery,
  });
}

export function requestDetail(orgId: string, requestId: string) {
  return queryOptions({
    queryKey: ['requests', 'detail', orgId, requestId],
    queryFn: async ({ signal, client, queryKey }) => {
      const isMarking = (): boolean => client.isMutating({ mutationKey: ['marks', requestId] }) > 0;
      const wasMarking = isMarking();
      const detail = await call('GET', REVIEW, { path: { orgId, requestId }, signal });
      const shown = client.getQueryData<ReviewDetail>(queryKey);
      // The answer may not know marks that are being saved; the saving answers with all of them.
      const keeps = (wasMarking || isMarking()) && shown?.version === detail.version;
      return keeps ? { ...detail, marks: shown.marks } : detail;
    },
    staleTime: FRESH_MS,
  });
}

export function foundProducts(orgId: string, q: string) {
  return queryOptions({
    queryKey: ['requests', 'products', orgId, q],
    queryFn: ({ signal }) =>
      call('GET', '/api/v2/public/orgs/{orgId}/review/products', {
        path: { orgId },
        query: q === '' ? {} : { q },
        signal,
      }),
    staleTime: FRESH_MS,
  });
}

/** A document never changes: a later one has another version. */
export type DocumentKey = Pick<ReviewDetail['documents'][number], 'number' | 'version'>;

/** Kept for a moment after it was fetched ahead or looked at; a locked screen keeps none (`forgetDocuments`). */
export function requestDocument(orgId: string, requestId: string, { number, version }: DocumentKey) {
  return queryOptions({
    queryKey: [...DOCUMENTS, orgId, requestId, number, version],
    queryFn: ({ signal }) =>
      callDocument(`${REVIEW}/prescription.pdf`, {
        path: { orgId, requestId },
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
export function documentAddress(orgId: string, requestId: string, { number, version }: DocumentKey): string {
  const query = { number, version };
  return addressOfDocument(`${REVIEW}/prescription.pdf`, { path: { orgId, requestId }, query });
}

/** Documents are fetched ahead; this says that a person really looks at one. */
export function noteView(orgId: string, requestId: string): Promise<void> {
  return call('POST', `${REVIEW}/viewed`, { path: { orgId, requestId } });
}

/** Each call is a look in the audit log, so that nothing keeps the answer. */
export function readToken(orgId: string, requestId: string): Promise<EPrescription> {
  return call('GET', `${REVIEW}/e-prescription`, { path: { orgId, requestId } });
}

export function checkPrescriber(
  orgId: string,
  requestId: string,
  body: PrescriberCheckBody,
): Promise<PrescriberCheckResponse> {
  return call('PUT', `${REVIEW}/prescriber`, { path: { orgId, requestId }, body });
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

export function saveMarks(orgId: string, requestId: string, body: ReviewMarksBody): Promise<ReviewMarks> {
  return call('PUT', `${REVIEW}/marks`, { path: { orgId, requestId }, body });
}

export function planRequest(orgId: string, requestId: string, body: ReviewPlanBody): Promise<ReviewPlan> {
  return call('PUT', `${REVIEW}/plan`, { path: { orgId, requestId }, body });
}

export function reviewPeople(orgId: string) {
  return queryOptions({
    queryKey: ['requests', 'people', orgId],
    queryFn: ({ signal }) =>
      call('GET', '/api/v2/public/orgs/{orgId}/review/people', { path: { orgId }, signal }),
    staleTime: FRESH_MS,
  });
}

/** The key makes a decision that is sent twice one decision. `keepalive` outlives the page. */
export function sendDecision(orgId: string, decision: Decision, keepalive: boolean): Promise<unknown> {
  const { id: requestId, key, act } = decision;
  const { version } = act;
  const sent = { path: { orgId, requestId }, header: { 'Idempotency-Key': key }, keepalive };
  switch (act.kind) {
    case 'approve':
      return call('POST', `${REQUEST}/approve`, { ...sent, body: { ...act.body, version } });
    case 'reject':
      return call('POST', `${REQUEST}/reject`, { ...sent, body: { ...act.body, version } });
    case 'ask':
      return call('POST', `${REQUEST}/request-clarification`, { ...sent, body: { ...act.body, version } });
  }
}

export function withdrawQuestion(orgId: string, requestId: string): Promise<unknown> {
  return call('POST', `${REQUEST}/withdraw-clarification`, { path: { orgId, requestId } });
}

export function withdrawFirstApproval(orgId: string, requestId: string): Promise<unknown> {
  return call('POST', `${REVIEW}/withdraw-approval`, { path: { orgId, requestId } });
}

export function fetchDocumentAgain(orgId: string, requestId: string): Promise<unknown> {
  return call('POST', `${REQUEST}/retry-fetch`, { path: { orgId, requestId } });
}

/** What a person has decided about one request. */
export type Choice =
  | { kind: 'approve'; body: ApproveBody }
  | { kind: 'reject'; body: RejectBody }
  | { kind: 'ask'; body: ClarificationBody };

/** The decision belongs to the version that was on the screen. */
export type Act = Choice & { version: number };

export type Decision = Held<Act>;

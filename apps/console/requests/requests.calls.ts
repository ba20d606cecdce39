import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApproveBody, OrderRequestDetail, RejectBody } from '@offizin/contracts/order-request-review';
import type {
  ReviewCounts,
  ReviewDetail,
  ReviewListResponse,
  ReviewMarks,
  ReviewMarksBody,
} from '@offizin/contracts/review';
import { call, callBytes } from '../shell/api';
import type { RequestFilters } from './filters';
import type { Decision } from './decision';

/** The calls of the review screen. Nothing else in this folder speaks HTTP. */

const PAGE_ROWS = 200;
/** News of other people's decisions and of new requests arrive this often. */
const REFRESH_MS = 10_000;

export function requestList(orgId: string, filters: RequestFilters) {
  return infiniteQueryOptions({
    queryKey: ['requests', 'list', orgId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call<ReviewListResponse>({
        method: 'GET',
        path: reviews(orgId),
        query: { ...filters, limit: PAGE_ROWS, cursor },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: REFRESH_MS,
  });
}

export function requestCounts(orgId: string) {
  return queryOptions({
    queryKey: ['requests', 'counts', orgId],
    queryFn: ({ signal }) =>
      call<ReviewCounts>({ method: 'GET', path: `${organization(orgId)}/review/counts`, signal }),
    refetchInterval: REFRESH_MS,
  });
}

export function requestDetail(orgId: string, id: string) {
  return queryOptions({
    queryKey: ['requests', 'detail', orgId, id],
    queryFn: ({ signal }) => call<ReviewDetail>({ method: 'GET', path: review(orgId, id), signal }),
    staleTime: REFRESH_MS,
  });
}

export function readDocument(orgId: string, id: string, version: number): Promise<ArrayBuffer> {
  return callBytes({
    method: 'GET',
    path: `${review(orgId, id)}/prescription.pdf`,
    query: { version },
    headers: { accept: 'application/pdf, application/json' },
  });
}

/** Documents are fetched ahead; this says that a person really looks at one. */
export function noteView(orgId: string, id: string): Promise<void> {
  return call({ method: 'POST', path: `${review(orgId, id)}/viewed` });
}

export function saveMarks(orgId: string, id: string, body: ReviewMarksBody): Promise<ReviewMarks> {
  return call({ method: 'PUT', path: `${review(orgId, id)}/marks`, body });
}

/** The key makes a decision that is sent twice one decision. `keepalive` outlives the page. */
export function sendDecision(orgId: string, decision: Decision, keepalive: boolean): Promise<unknown> {
  const { id, key, act } = decision;
  const headers = { 'idempotency-key': key };
  const sent = { method: 'POST', headers, keepalive } as const;
  const path = `${organization(orgId)}/order-requests/${id}`;
  switch (act.kind) {
    case 'approve':
      return call({ ...sent, path: `${path}/approve`, body: act.body satisfies ApproveBody });
    case 'reject':
      return call({ ...sent, path: `${path}/reject`, body: act.body satisfies RejectBody });
    case 'ask':
      return call({ ...sent, path: `${path}/request-clarification`, body: { question: act.question } });
  }
}

export function withdrawQuestion(orgId: string, id: string): Promise<OrderRequestDetail> {
  return call({ method: 'POST', path: `${organization(orgId)}/order-requests/${id}/withdraw-clarification` });
}

export function fetchDocumentAgain(orgId: string, id: string): Promise<OrderRequestDetail> {
  return call({ method: 'POST', path: `${organization(orgId)}/order-requests/${id}/retry-fetch` });
}

function organization(orgId: string): string {
  return `/api/v2/public/orgs/${orgId}`;
}

function reviews(orgId: string): string {
  return `${organization(orgId)}/review/requests`;
}

function review(orgId: string, id: string): string {
  return `${reviews(orgId)}/${encodeURIComponent(id)}`;
}

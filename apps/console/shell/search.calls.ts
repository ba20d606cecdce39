import { queryOptions } from '@tanstack/react-query';
import { call } from './api';

const FRESH_MS = 10_000;

/** Requests, orders and products, as far as the person may read them. */
export function searchAll(orgId: string, q: string) {
  return queryOptions({
    queryKey: ['search', orgId, q],
    queryFn: ({ signal }) =>
      call('GET', '/api/v2/public/orgs/{orgId}/search', { path: { orgId }, query: { q }, signal }),
    staleTime: FRESH_MS,
    // The next letter asks again.
    retry: false,
  });
}

import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../calls/api';
import type { CustomerSearch } from './customer-search';

/** Below 'requests': what changes a request makes it stale. */
export function customerRecords({ request, order }: CustomerSearch) {
  const person = order === undefined ? { request_id: request ?? '-' } : { order_id: order };
  return infiniteQueryOptions({
    queryKey: ['requests', 'customer', person],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', '/api/v2/public/orgs/{orgId}/customer', { query: { ...person, cursor }, signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { CreateApiKeyBody } from '@offizin/contracts/people/directory';
import { call } from '../../calls/api';

const KEYS = '/api/v2/public/orgs/{orgId}/api-keys';
const KEY = `${KEYS}/{keyId}` as const;
const PAGE = 200;

/** Live keys, and ended ones of the last weeks. */
export const apiKeysQuery = infiniteQueryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal, pageParam: cursor }) => call('GET', KEYS, { query: { limit: PAGE, cursor }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
});

export const testShopsQuery = queryOptions({
  queryKey: [...apiKeysQuery.queryKey, 'test-shops'],
  queryFn: async ({ signal }) => {
    const { data } = await call('GET', '/api/v2/public/orgs/{orgId}/shops', { signal });
    return data.filter(({ is_test: isTest }) => isTest);
  },
});

/** Steps that the partner of the key has done at a test shop. */
export const certificationQuery = (keyId: string, shopId: string) =>
  queryOptions({
    queryKey: [...apiKeysQuery.queryKey, keyId, shopId],
    queryFn: ({ signal }) =>
      call('GET', `${KEY}/certification`, { path: { keyId }, query: { shop_id: shopId }, signal }),
  });

export function createKey(body: CreateApiKeyBody, key: string) {
  return call('POST', KEYS, { body, header: { 'Idempotency-Key': key } });
}

export function rotateKey(keyId: string, overlapSeconds: number, key: string) {
  const body = { overlap_seconds: overlapSeconds };
  return call('POST', `${KEY}/rotate`, { path: { keyId }, body, header: { 'Idempotency-Key': key } });
}

export function revokeKey(keyId: string) {
  return call('DELETE', KEY, { path: { keyId } });
}

import { infiniteQueryOptions } from '@tanstack/react-query';
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

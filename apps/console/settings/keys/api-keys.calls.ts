import { infiniteQueryOptions } from '@tanstack/react-query';
import type { CreateApiKeyBody } from '@offizin/contracts/people/directory';
import { call } from '../../calls/api';

const KEYS = '/api/v2/public/orgs/{orgId}/api-keys';
const KEY = `${KEYS}/{keyId}` as const;
const PAGE = 200;

/** Live keys, and ended ones of the last weeks. */
export const apiKeysQuery = (orgId: string) =>
  infiniteQueryOptions({
    queryKey: ['api-keys', orgId],
    queryFn: ({ signal, pageParam: cursor }) =>
      call('GET', KEYS, { path: { orgId }, query: { limit: PAGE, cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  });

export function createKey(orgId: string, body: CreateApiKeyBody, key: string) {
  return call('POST', KEYS, { path: { orgId }, body, header: { 'Idempotency-Key': key } });
}

export function rotateKey(path: KeyPath, overlapSeconds: number, key: string) {
  const body = { overlap_seconds: overlapSeconds };
  return call('POST', `${KEY}/rotate`, { path: { ...path }, body, header: { 'Idempotency-Key': key } });
}

export function revokeKey(path: KeyPath) {
  return call('DELETE', KEY, { path: { ...path } });
}

interface KeyPath {
  orgId: string;
  keyId: string;
}

import { queryOptions } from '@tanstack/react-query';
import { call } from '../shell/api';
import type { Schema } from '../shell/api-types';

export type SignOnSettings = Schema<'SignOnSettings'>;

const SIGN_ON = '/api/v2/public/orgs/{orgId}/settings/sign-on';

export const signOnQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['sign-on', orgId],
    queryFn: ({ signal }) => call('GET', SIGN_ON, { path: { orgId }, signal }),
  });

export function saveSignOn(orgId: string, body: Schema<'SignOnSettingsBody'>) {
  return call('PUT', SIGN_ON, { path: { orgId }, body });
}

export function removeSignOn(orgId: string) {
  return call('DELETE', SIGN_ON, { path: { orgId } });
}

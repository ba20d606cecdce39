import { queryOptions } from '@tanstack/react-query';
import type { SignOnSettingsBody } from '@offizin/contracts/people/sign-on';
import { call } from '../../calls/api';

const SIGN_ON = '/api/v2/public/orgs/{orgId}/settings/sign-on';

export const signOnQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['sign-on', orgId],
    queryFn: ({ signal }) => call('GET', SIGN_ON, { path: { orgId }, signal }),
  });

export function saveSignOn(orgId: string, body: SignOnSettingsBody) {
  return call('PUT', SIGN_ON, { path: { orgId }, body });
}

export function removeSignOn(orgId: string) {
  return call('DELETE', SIGN_ON, { path: { orgId } });
}

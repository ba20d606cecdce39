import { queryOptions } from '@tanstack/react-query';
import type { SignOnSettingsBody } from '@offizin/contracts/people/sign-on';
import { call } from '../../calls/api';

const SIGN_ON = '/api/v2/public/orgs/{orgId}/settings/sign-on';

export const signOnQuery = queryOptions({
  queryKey: ['sign-on'],
  queryFn: ({ signal }) => call('GET', SIGN_ON, { signal }),
});

export function saveSignOn(body: SignOnSettingsBody) {
  return call('PUT', SIGN_ON, { body });
}

export function removeSignOn() {
  return call('DELETE', SIGN_ON);
}

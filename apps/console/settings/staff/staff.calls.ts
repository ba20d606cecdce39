import { queryOptions } from '@tanstack/react-query';
import type { CreateStaffBody, StaffRow, UpdateStaffBody } from '@offizin/contracts/people/staff';
import type { SignInRules } from '@offizin/contracts/people/second-factor';
import { call } from '../../calls/api';

export type Person = StaffRow;

const STAFF = '/api/v2/public/orgs/{orgId}/staff';
const PERSON = `${STAFF}/{staffId}` as const;

export const staffQuery = queryOptions({
  queryKey: ['staff'],
  queryFn: async ({ signal }) => (await call('GET', STAFF, { signal })).data,
});

export function invite(body: CreateStaffBody, key: string) {
  return call('POST', STAFF, { body, header: { 'Idempotency-Key': key } });
}

export function changePerson(staffId: string, body: UpdateStaffBody) {
  return call('PUT', PERSON, { path: { staffId }, body });
}

/** An invitation for who has no password yet, else a link for a new one. */
export function makeLink(staffId: string, kind: 'invitation' | 'reset') {
  return call('POST', `${PERSON}/link`, { path: { staffId }, body: { kind } });
}

export function signOutEverywhere(staffId: string) {
  return call('POST', `${PERSON}/sign-out`, { path: { staffId } });
}

export function removeSecondFactor(staffId: string) {
  return call('DELETE', `${PERSON}/second-factor`, { path: { staffId } });
}

const RULES = '/api/v2/public/orgs/{orgId}/settings/sign-in';

export const signInRulesQuery = queryOptions({
  queryKey: ['sign-in-rules'],
  queryFn: ({ signal }) => call('GET', RULES, { signal }),
});

export function setSignInRules(body: SignInRules) {
  return call('PUT', RULES, { body });
}

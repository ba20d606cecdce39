import { queryOptions } from '@tanstack/react-query';
import type { CreateStaffBody, StaffRow, UpdateStaffBody } from '@offizin/contracts/people/staff';
import type { SignInRules } from '@offizin/contracts/people/second-factor';
import { call } from '../../calls/api';

export type Person = StaffRow;

const STAFF = '/api/v2/public/orgs/{orgId}/staff';
const PERSON = `${STAFF}/{staffId}` as const;

export const staffQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['staff', orgId],
    queryFn: async ({ signal }) => (await call('GET', STAFF, { path: { orgId }, signal })).data,
  });

export function invite(orgId: string, body: CreateStaffBody, key: string) {
  return call('POST', STAFF, { path: { orgId }, body, header: { 'Idempotency-Key': key } });
}

export function changePerson({ orgId, staffId }: PersonPath, body: UpdateStaffBody) {
  return call('PUT', PERSON, { path: { orgId, staffId }, body });
}

/** An invitation for who has no password yet, else a link for a new one. */
export function makeLink({ orgId, staffId }: PersonPath, kind: 'invitation' | 'reset') {
  return call('POST', `${PERSON}/link`, { path: { orgId, staffId }, body: { kind } });
}

export function signOutEverywhere({ orgId, staffId }: PersonPath) {
  return call('POST', `${PERSON}/sign-out`, { path: { orgId, staffId } });
}

export function removeSecondFactor({ orgId, staffId }: PersonPath) {
  return call('DELETE', `${PERSON}/second-factor`, { path: { orgId, staffId } });
}

const RULES = '/api/v2/public/orgs/{orgId}/settings/sign-in';

export const signInRulesQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['sign-in-rules', orgId],
    queryFn: ({ signal }) => call('GET', RULES, { path: { orgId }, signal }),
  });

export function setSignInRules(orgId: string, body: SignInRules) {
  return call('PUT', RULES, { path: { orgId }, body });
}

interface PersonPath {
  orgId: string;
  staffId: string;
}

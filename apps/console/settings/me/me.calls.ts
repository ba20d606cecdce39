import { queryOptions } from '@tanstack/react-query';
import type { ChangePasswordBody } from '@offizin/contracts/people/sessions';
import type { PasskeyRow } from '@offizin/contracts/people/passkeys';
import type { TotpResponse } from '@offizin/contracts/people/second-factor';
import { call } from '../../calls/api';
import { makePasskey } from '../../signing-in/webauthn';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call('GET', '/api/sessions', { signal }),
});

export function endSession(sessionId: string): Promise<void> {
  return call('DELETE', '/api/sessions/{sessionId}', { path: { sessionId } });
}

export function changePassword(body: ChangePasswordBody): Promise<void> {
  return call('POST', '/api/me/password', { body });
}

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => call('GET', '/api/me/second-factor', { signal }),
});

export function beginTotp(): Promise<TotpResponse> {
  return call('POST', '/api/me/totp');
}

export function confirmTotp(code: string): Promise<void> {
  return call('POST', '/api/me/totp/confirm', { body: { code } });
}

export function removeTotp(): Promise<void> {
  return call('DELETE', '/api/me/totp');
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => call('GET', '/api/me/passkeys', { signal }),
});

export async function addPasskey(name: string): Promise<PasskeyRow> {
  const asked = await call('POST', '/api/me/passkeys/options');
  return call('POST', '/api/me/passkeys', { body: await makePasskey(asked, name) });
}

export function removePasskey(passkeyId: string): Promise<void> {
  return call('DELETE', '/api/me/passkeys/{passkeyId}', { path: { passkeyId } });
}

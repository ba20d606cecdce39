import { queryOptions } from '@tanstack/react-query';
import { call } from '../shell/api';
import type { Schema } from '../shell/api-types';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call('GET', '/api/sessions', { signal }),
});

export function endSession(sessionId: string): Promise<void> {
  return call('DELETE', '/api/sessions/{sessionId}', { path: { sessionId } });
}

export function changePassword(body: Schema<'ChangePasswordBody'>): Promise<void> {
  return call('POST', '/api/me/password', { body });
}

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => call('GET', '/api/me/second-factor', { signal }),
});

export function beginTotp(): Promise<Schema<'TotpResponse'>> {
  return call('POST', '/api/me/totp');
}

export function confirmTotp(code: string): Promise<void> {
  return call('POST', '/api/me/totp/confirm', { body: { code } });
}

export function removeTotp(): Promise<void> {
  return call('DELETE', '/api/me/totp');
}

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

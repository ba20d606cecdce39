import { queryOptions } from '@tanstack/react-query';
import type { ChangePasswordBody, SessionListResponse } from '@offizin/contracts/sessions';
import { call } from '../shell/api';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call<SessionListResponse>({ method: 'GET', path: '/api/sessions', signal }),
});

export function endSession(id: string): Promise<void> {
  return call({ method: 'DELETE', path: `/api/sessions/${encodeURIComponent(id)}` });
}

export function changePassword(body: ChangePasswordBody): Promise<void> {
  return call({ method: 'POST', path: '/api/me/password', body });
}

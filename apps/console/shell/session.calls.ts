import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { AcceptLinkBody, LinkResponse, SessionResponse, SignInBody } from '@offizin/contracts/sessions';
import { ApiError, call } from './api';

export type Session = SessionResponse;

/** Who is signed in; null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await call<Session>({ method: 'GET', path: '/api/session', signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** The session of the pages inside the shell; their route has made sure that there is one. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data) throw new ApiError(401, 'unauthorized', 'not signed in', null);
  return data;
}

export function signIn(body: SignInBody): Promise<Session> {
  return call({ method: 'POST', path: '/api/sign-in', body });
}

export function signOut(): Promise<void> {
  return call({ method: 'DELETE', path: '/api/session' });
}

export function readLink(token: string): Promise<LinkResponse> {
  return call({ method: 'POST', path: '/api/links/read', body: { token } });
}

export function acceptLink(body: AcceptLinkBody): Promise<Session> {
  return call({ method: 'POST', path: '/api/links/accept', body });
}

import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type {
  AcceptLinkBody,
  ConfirmBody,
  LinkResponse,
  SessionResponse,
  SignInBody,
  SignInResponse,
} from '@offizin/contracts/people/sessions';
import { ApiError, call, tabPerson } from '../calls/api';
import { lock, type LockReason } from './lock';
import { tellOtherTabs } from './other-tabs';

export type Session = SessionResponse;
/** A session, or what the sign-in still needs. */
export type SignInAnswer = SignInResponse;

const SESSION_KEY = ['session'];

/** Who is signed in; null without a session. A session that ends in the middle of the work locks the screen over it. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async ({ signal, client }): Promise<Session | null> => {
    const before = client.getQueryData<Session | null>(SESSION_KEY) ?? null;
    const session = await liveSession(signal);
    if (before && session?.staff.id !== before.staff.id) {
      lock.close('ended');
      return before;
    }
    tabPerson.become(session);
    return session;
  },
  staleTime: 60_000,
});

export async function liveSession(signal?: AbortSignal): Promise<Session | null> {
  try {
    return await call('GET', '/api/session', { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** The session of the pages inside the shell; their route has made sure that there is one. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data) throw new ApiError(401, 'unauthorized', 'not signed in', null);
  return data;
}

export async function signIn(body: SignInBody): Promise<SignInAnswer> {
  return answered(await call('POST', '/api/sign-in', { body }));
}

export async function acceptLink(body: AcceptLinkBody): Promise<SignInAnswer> {
  return answered(await call('POST', '/api/links/accept', { body }));
}

function answered(answer: SignInAnswer): SignInAnswer {
  if (answer.session) begun(answer.session);
  return answer;
}

/** A tab without a person belongs to the person of the session from now on. */
export function begun(session: Session): Session {
  if (tabPerson.current() === null) tabPerson.become(session);
  tellOtherTabs(session.staff.id);
  return session;
}

/**
 * False where the tab has shown another person: then the console reloads at `to`, so nothing of that person stays in
 * memory. One e-mail address may have a password in each of two organizations.
 */
export function tryEnter(queries: QueryClient, session: Session, to = '/console/'): boolean {
  const isSame = tabPerson.current() === session.staff.id;
  if (isSame) queries.setQueryData(SESSION_KEY, session);
  else window.location.replace(to);
  return isSame;
}

/** Ends the session of this tab's person, but not that of another one who has signed in since in the same browser. */
export async function signOut(): Promise<void> {
  try {
    await call('DELETE', '/api/session');
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    throw error;
  }
  tellOtherTabs(null);
}

/** The same person again: with the session that is still there, or with a new one. */
export async function unlock(
  { staff }: Session,
  reason: LockReason,
  password: string,
): Promise<SignInAnswer> {
  const live = reason === 'idle' ? await liveSession() : null;
  if (live?.staff.id !== staff.id) return signIn({ email: staff.email, password });
  await confirmSession({ password });
  return { session: live, next: null, methods: [], pending: null };
}

export function confirmSession(body: ConfirmBody): Promise<void> {
  return call('POST', '/api/session/confirm', { body });
}

export function readLink(token: string): Promise<LinkResponse> {
  return call('POST', '/api/links/read', { body: { token } });
}

import type { TotpResponse } from '@offizin/contracts/people/second-factor';
import { call } from '../calls/api';
import type { LockReason } from '../session/lock';
import { begun, confirmSession, liveSession, type Session } from '../session/session.calls';
import { askPasskey } from './webauthn';

/** Signs in: after a password with its `pending`, or by the passkey alone. */
export async function signInByPasskey(pending?: string): Promise<Session> {
  const asked = await call('POST', '/api/sign-in/passkey/options', {
    body: pending === undefined ? {} : { pending },
  });
  const answer = await askPasskey(asked);
  return begun(await call('POST', '/api/sign-in/passkey', { body: { ...answer, pending: asked.pending } }));
}

/** In place of the password. */
export async function confirmByPasskey(): Promise<void> {
  const asked = await call('POST', '/api/session/confirm/options');
  await confirmSession({ passkey: await askPasskey(asked) });
}

/** As `unlock` by password: with the session that is still there, or with a new one. */
export async function unlockByPasskey({ staff }: Session, reason: LockReason): Promise<Session> {
  const live = reason === 'idle' ? await liveSession() : null;
  if (live?.staff.id !== staff.id) return signInByPasskey();
  await confirmByPasskey();
  return live;
}

export async function giveSecondFactor(pending: string, code: string): Promise<Session> {
  return begun(await call('POST', '/api/sign-in/second-factor', { body: { pending, code } }));
}

export function beginSetUp(pending: string): Promise<TotpResponse> {
  return call('POST', '/api/sign-in/totp', { body: { pending } });
}

export async function finishSetUp(pending: string, code: string): Promise<Session> {
  return begun(await call('POST', '/api/sign-in/totp/confirm', { body: { pending, code } }));
}

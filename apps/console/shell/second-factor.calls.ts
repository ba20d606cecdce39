import type { TotpResponse } from '@offizin/contracts/second-factor';
import { call } from './api';
import { begun, type Session } from './session.calls';

export async function giveSecondFactor(pending: string, code: string): Promise<Session> {
  return begun(await call('POST', '/api/sign-in/second-factor', { body: { pending, code } }));
}

export function beginSetUp(pending: string): Promise<TotpResponse> {
  return call('POST', '/api/sign-in/totp', { body: { pending } });
}

export async function finishSetUp(pending: string, code: string): Promise<Session> {
  return begun(await call('POST', '/api/sign-in/totp/confirm', { body: { pending, code } }));
}

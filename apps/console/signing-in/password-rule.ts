import type { MIN_PASSWORD_LENGTH as contract } from '@offizin/contracts/people/sessions';
import type { Texts } from '../text/de';
import { ApiError } from '../calls/api';
import { sentenceOf } from '../messages/fault';

/** The contract's number: another one does not compile. Its module cannot be loaded here, only its types. */
export const MIN_PASSWORD_LENGTH: typeof contract = 12;

/** Why a password or a code was not taken; `wrong`: it does not fit. */
export function signInRefusal(error: Error, texts: Texts, wrong: string): string {
  if (error instanceof ApiError && error.status === 401) return wrong;
  if (error instanceof ApiError && error.status === 429) return texts.signIn.locked;
  return sentenceOf(error, texts);
}

import type { Texts } from '../text/de';
import { ApiError } from './api';
import { sentenceOf } from './fault';

/** Why the own password was not taken, by the person who is signed in. */
export function passwordRefusal(error: Error, texts: Texts): string {
  if (error instanceof ApiError && error.status === 401) return texts.lock.wrong;
  if (error instanceof ApiError && error.status === 429) return texts.signIn.locked;
  return sentenceOf(error, texts);
}

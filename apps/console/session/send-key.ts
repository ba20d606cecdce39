import { ApiError } from '../calls/api';
import type { Draft } from './use-draft';

/** Not stored by the server (libs/idempotency): they say who may ask, and when, not what became of the request. */
const NOT_STORED: readonly number[] = [401, 403, 429];

/** The server repeats this refusal for ever under its Idempotency-Key, whatever has changed since. */
export function isStoredRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code === 'idempotency_in_progress') return false;
  return error.status >= 400 && error.status < 500 && !NOT_STORED.includes(error.status);
}

/** For a draft that holds its key: the next attempt is judged again. */
export function renewKey<Value extends { key: string }>(draft: Draft<Value>, error: unknown): void {
  if (isStoredRefusal(error)) draft.change({ ...draft.value, key: crypto.randomUUID() });
}

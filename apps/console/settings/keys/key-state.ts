import type { ApiKeyRow } from '@offizin/contracts/people/directory';

export type ApiKey = ApiKeyRow;

/** `replaced`: still counts, until its overlap ends. */
export type KeyState = 'live' | 'replaced' | 'expired' | 'revoked';

const SOON_MS = 14 * 86_400_000;

export function stateOf(
  { revoked_at: revokedAt, expires_at: expiresAt, replaced_by: successor }: ApiKey,
  nowMs: number,
): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return 'expired';
  return successor === null ? 'live' : 'replaced';
}

/** A live key that ends within two weeks: its user must get another one. */
export function endsSoon(key: ApiKey, nowMs: number): boolean {
  const { expires_at: expiresAt } = key;
  return expiresAt !== null && stateOf(key, nowMs) === 'live' && Date.parse(expiresAt) - nowMs < SOON_MS;
}

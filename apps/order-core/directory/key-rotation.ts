import { Refused } from '@offizin/contracts/errors';
import { hashApiKey, newApiKey } from '@offizin/directory/api-key';
import { newId } from '@offizin/pg/ids';
import type { NewKey, RotatableKey } from './directory.store';

/**
 * The successor of a key: same name, kind, scopes, shop and lifetime. Only a live key without successor can be
 * rotated: a repeated rotation would leave a live key whose text no caller has.
 */
export function successorOf(
  { key, isLive, lifetimeMs }: RotatableKey,
  nowMs: number,
): NewKey & { apiKey: string } {
  if (key.replaced_by !== null) {
    throw new Refused('conflict', `The API key was rotated already: its successor is ${key.replaced_by}.`);
  }
  if (!isLive) {
    throw new Refused('conflict', 'The API key is revoked or has expired: create a new one.');
  }
  const apiKey = newApiKey(key.kind);
  return {
    id: newId(),
    name: key.name,
    kind: key.kind,
    hash: hashApiKey(apiKey),
    scopes: key.scopes,
    shopId: key.shop_id,
    expiresAt: lifetimeMs === null ? null : new Date(nowMs + lifetimeMs).toISOString(),
    replaces: key.id,
    apiKey,
  };
}

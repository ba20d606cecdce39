import type { Caller } from '@offizin/contracts/caller';
import { Refused } from '@offizin/contracts/errors';
import type { Scope } from '@offizin/contracts/scopes';

/**
 * A key may hand on what it has itself, no more: otherwise settings.write alone would be every scope. A connector key
 * carries no scopes, and the operator is not bound. Throws `Refused` (insufficient_scope).
 */
export function requireGrantable(caller: Caller, scopes: readonly Scope[]): void {
  if (caller.kind !== 'key') return;
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  const message = `The token lacks ${missing.join(', ')}: a key cannot hand on scopes that it has not itself.`;
  throw new Refused('insufficient_scope', message);
}

import type { Caller } from '@offizin/contracts/caller';
import { Refused } from '@offizin/contracts/errors';
import type { Scope } from '@offizin/contracts/scopes';

/**
 * A key may grant only its own scopes: otherwise settings.write alone would imply every scope. A connector key has no
 * scopes, and the operator is unrestricted. Throws `Refused` (insufficient_scope).
 */
export function requireGrantable(caller: Caller, scopes: readonly Scope[]): void {
  if (caller.kind !== 'key') return;
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  const message = `The token lacks ${missing.join(', ')}: a key cannot hand on scopes that it has not itself.`;
  throw new Refused('insufficient_scope', message);
}

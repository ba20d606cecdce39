import type { Caller } from '@offizin/contracts/caller';
import { Refused } from '@offizin/contracts/errors';
import type { Scope } from '@offizin/contracts/scopes';

/**
 * A key or a person may grant only their own scopes: otherwise settings.write alone would imply every scope. A connector key has no
 * scopes, and the operator is unrestricted. Throws `Refused` (insufficient_scope).
 */
export function requireGrantable(caller: Caller, scopes: readonly Scope[]): void {
  if (caller.kind !== 'key' && caller.kind !== 'staff') return;
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  const lacks = caller.kind === 'staff' ? 'Your role' : 'The token';
  const message = `${lacks} lacks ${missing.join(', ')}: only scopes that the caller has can be granted.`;
  throw new Refused('insufficient_scope', message);
}

import type { Scope } from '@offizin/contracts/people/scopes';
import { useOnline } from './online';
import { useSession } from './session.calls';

/** Why what the scope allows cannot be done now, as a sentence; null when it can. */
export function useBlocked(
  scope: Scope,
  texts: { blockedRole: string; blockedOffline: string },
): string | null {
  const { scopes } = useSession();
  const isOnline = useOnline();
  if (!scopes.includes(scope)) return texts.blockedRole;
  return isOnline ? null : texts.blockedOffline;
}

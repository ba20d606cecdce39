import { useOnline } from '../shell/online';
import { useSession } from '../shell/session.calls';
import { useProductTexts } from './product-texts';

/** Why products cannot be changed now, as a sentence; null when they can. */
export function useBlocked(): string | null {
  const texts = useProductTexts();
  const { scopes } = useSession();
  const isOnline = useOnline();
  if (!scopes.includes('products.write')) return texts.blockedRole;
  return isOnline ? null : texts.blockedOffline;
}

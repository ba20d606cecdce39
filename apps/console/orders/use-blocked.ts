import { useOnline } from '../shell/online';
import { useOrderTexts } from './order-texts';

/** Why nothing can be changed now, as a sentence; null when it can. Every role may change orders. */
export function useBlocked(isHeld: boolean): string | null {
  const texts = useOrderTexts();
  const isOnline = useOnline();
  if (!isOnline) return texts.blockedOffline;
  return isHeld ? texts.blockedHeld : null;
}

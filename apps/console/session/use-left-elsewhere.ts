import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTexts } from '../text/texts';
import { screensOfLeft } from './left-behind';
import { toasts } from '../messages/toasts';

/** Addresses of the screens that hold decisions, by their name in the notes. */
const ADDRESSES = new Map<string, '/requests' | '/orders'>([
  ['requests', '/requests'],
  ['orders', '/orders'],
]);

/** Id of the message that leads to this screen. */
export function leftElsewhereToast(screen: string): string {
  return `left-on-${screen}`;
}

/** Each screen reports the decisions that were lost when its page was left. On other pages, a message links to it. */
export function useLeftElsewhere(staffId: string): void {
  const texts = useTexts().shell;
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => {
    for (const screen of screensOfLeft(sessionStorage, staffId)) {
      const to = ADDRESSES.get(screen);
      if (to === undefined || router.latestLocation.pathname === to) continue;
      const run = () => void navigate({ to });
      const text = texts.leftElsewhere(to === '/orders' ? texts.orders : texts.requests);
      toasts.show({
        id: leftElsewhereToast(screen),
        text,
        tone: 'failure',
        action: { label: texts.leftShow, run },
      });
    }
  }, [staffId, texts, navigate, router]);
}

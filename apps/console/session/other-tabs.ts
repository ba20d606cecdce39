import { useEffect, useLayoutEffect, useRef } from 'react';

/** All tabs of the browser share the cookie, so each reports to the others who has signed in, or that no one is. */
const CHANNEL = 'offizin-session';
/** One for the tab: a channel does not receive its own messages. */
const channel = new BroadcastChannel(CHANNEL);

export function tellOtherTabs(staffId: string | null): void {
  channel.postMessage(staffId);
}

/** Calls `onTold` with who has signed in in another tab; null after a sign-out there. */
export function useOtherTabs(onTold: (staffId: unknown) => void): void {
  const latest = useRef(onTold);
  useLayoutEffect(() => {
    latest.current = onTold;
  });
  useEffect(() => {
    const told = ({ data }: MessageEvent<unknown>) => {
      latest.current(data);
    };
    channel.addEventListener('message', told);
    return () => {
      channel.removeEventListener('message', told);
    };
  }, []);
}

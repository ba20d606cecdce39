import { useEffect, useLayoutEffect, useRef } from 'react';

/** The cookie belongs to all tabs of the browser, so each tells the others who has signed in, or that nobody is. */
const CHANNEL = 'offizin-session';

export function tellOtherTabs(staffId: string | null): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(staffId);
  channel.close();
}

/** Calls `onOther` when another tab has signed out, or signed in as another person than `staffId`. */
export function useOtherTabs(staffId: string, onOther: () => void): void {
  const latest = useRef(onOther);
  useLayoutEffect(() => {
    latest.current = onOther;
  });
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data !== staffId) latest.current();
    };
    return () => {
      channel.close();
    };
  }, [staffId]);
}

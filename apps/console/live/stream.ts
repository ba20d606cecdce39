import type { LiveEvents } from '@offizin/contracts/live';

export type StreamListener = {
  [Name in keyof LiveEvents]: (event: LiveEvents[Name]) => void;
} & {
  /** Nothing is heard until the next `hello`. */
  lost: () => void;
};

const ADDRESS = '/console/api/live';
const NAMES = ['hello', 'change', 'presence', 'session'] as const;
/** A refused stream, such as one that the gateway has no room for, is asked for again after this time. */
const REFUSED_MS = 30_000;

/** Follows the stream of this person until the returned function is called. The browser itself reconnects after a break. */
export function followStream(staffId: string, listener: StreamListener): () => void {
  let source: EventSource | null = null;
  let timer: number | undefined;
  const connect = () => {
    window.clearTimeout(timer);
    source?.close();
    const opened = new EventSource(`${ADDRESS}?${new URLSearchParams({ staff: staffId }).toString()}`);
    source = opened;
    for (const name of NAMES)
      opened.addEventListener(name, (event) => {
        listener[name](JSON.parse((event as MessageEvent<string>).data) as never);
      });
    opened.onerror = () => {
      listener.lost();
      if (opened.readyState === EventSource.CLOSED) timer = window.setTimeout(connect, REFUSED_MS);
    };
  };
  // The browser may wait long before it tries again without a connection.
  window.addEventListener('online', connect);
  connect();
  return () => {
    window.removeEventListener('online', connect);
    window.clearTimeout(timer);
    source?.close();
  };
}

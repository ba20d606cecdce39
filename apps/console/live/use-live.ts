import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ChangeKind, LiveEvents, LivePerson } from '@offizin/contracts/console/live';
import { useLock } from '../session/lock';
import { sessionQuery } from '../session/session.calls';
import { live } from './live';

/** After a connection, calls that are under way are let through before everything is asked again. */
const SETTLE_MS = 500;
/** With more streams than this, the consoles of an organization spread their questions. */
const CROWD = 20;
const SPREAD_MS = 1_000;
/** Until then, the catalog has reserved or released the pieces of an order of which it received the same event. */
const RESERVED_MS = 3_000;

/** Timers of delayed reads, by name: a new timer replaces the one before. */
type Asking = Map<'all' | 'stock', number>;

/** Reads again what is on the screen when it changes on the server. */
export function useLive(): void {
  const client = useQueryClient();
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const staffId = session?.staff.id;
  // Afterwards the cookie may be another person's.
  const isEnded = useLock() === 'ended';
  useEffect(() => {
    if (isEnded || staffId === undefined) return undefined;
    const asking: Asking = new Map();
    const end = shareStream(staffId, (news) => {
      receive(news, client, asking);
    });
    return () => {
      end();
      asking.forEach((timer) => {
        window.clearTimeout(timer);
      });
      live.forget();
    };
  }, [client, staffId, isEnded]);
}

function receive(news: News, client: QueryClient, asking: Asking): void {
  switch (news.kind) {
    case 'state': {
      const hasChanged = live.current().isLive !== news.isLive;
      live.receive(news);
      // A tab that joins missed the news since its first answers; one that lost the stream asks at intervals after
      // these.
      if (hasChanged)
        askLater(asking, 'all', () => void client.invalidateQueries(), news.isLive ? SETTLE_MS : 0);
      return;
    }
    case 'hello':
      askLater(
        asking,
        'all',
        () => void client.invalidateQueries(),
        SETTLE_MS + (news.open > CROWD ? Math.random() * SPREAD_MS : 0),
      );
      return;
    case 'session':
      // A session that has ended locks the screen.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      return;
    case 'change':
      askChanged(news, client);
      if (news.all || news.changes.some(({ kind }) => kind === 'order'))
        askLater(asking, 'stock', () => void client.invalidateQueries({ queryKey: ['stock'] }), RESERVED_MS);
  }
}

function askLater(asking: Asking, name: 'all' | 'stock', ask: () => void, afterMs: number): void {
  window.clearTimeout(asking.get(name));
  asking.set(name, window.setTimeout(ask, afterMs));
}

/** What a screen shows, by the key of its queries: a detail is read again when its own object has changed. */
const SCREENS: readonly (readonly [screen: string, kind: ChangeKind, withDetails?: true])[] = [
  ['requests', 'order_request'],
  ['orders', 'order'],
  ['stock', 'inventory'],
  ['stock', 'product'],
  ['products', 'product'],
  ['products', 'inventory'],
  ['webhooks', 'webhook', true],
  // Orders reserve pieces.
  ['stock', 'order', true],
];

/** Lists and counts of the screens that show something of it, and the details of what changed. */
function askChanged({ changes, all }: Extract<News, { kind: 'change' }>, client: QueryClient): void {
  if (all) {
    void client.invalidateQueries();
    return;
  }
  for (const [screen, shown, withDetails] of SCREENS) {
    const ids = new Set(changes.filter(({ kind }) => kind === shown).map(({ id }) => id));
    if (ids.size > 0)
      void client.invalidateQueries({
        queryKey: [screen],
        predicate: ({ queryKey: [, what, id] }) =>
          what !== 'detail' || withDetails === true || (typeof id === 'string' && ids.has(id)),
      });
  }
  // Of one that is there only an erasure is a change. No invalidation reads it again, because a look is audited.
  for (const { kind, id } of changes)
    if (kind === 'prescription')
      void client
        .getQueryCache()
        .find({ queryKey: ['prescriptions', 'detail', id] })
        ?.fetch();
}

/** What the tab with the stream tells the others, and itself. */
type News =
  | { kind: 'state'; isLive: boolean; people: readonly LivePerson[] }
  | { kind: 'hello'; open: number }
  | ({ kind: 'change' } & LiveEvents['change'])
  | { kind: 'session' };

/** A tab that has just opened wants to know the state. */
type Message = News | { kind: 'ask' };

/**
 * One stream for all tabs of a browser: the tab that holds the Web Lock has it and tells the others. Lock and channel
 * are named after the person, so that no tab receives another person's news. Returns what ends it.
 */
function shareStream(staffId: string, onNews: (news: News) => void): () => void {
  const name = `offizin-live-${staffId}`;
  const channel = new BroadcastChannel(name);
  const ended = new AbortController();
  let answerAsked = (): void => undefined;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'ask') answerAsked();
    else onNews(data);
  };
  const lead = (): Promise<void> => {
    const tell = (news: News) => {
      channel.postMessage(news);
      onNews(news);
    };
    const state = { kind: 'state' as const, isLive: false, people: [] as readonly LivePerson[] };
    const change = (changed: Partial<typeof state>) => {
      tell(Object.assign(state, changed));
    };
    answerAsked = () => {
      channel.postMessage(state);
    };
    const stop = followStream(staffId, {
      hello: ({ open }) => {
        change({ isLive: true });
        tell({ kind: 'hello', open });
      },
      change: (event) => {
        tell({ kind: 'change', ...event });
      },
      presence: ({ people }) => {
        change({ people });
      },
      session: () => {
        tell({ kind: 'session' });
      },
      lost: () => {
        if (state.isLive) change({ isLive: false, people: [] });
      },
    });
    return new Promise((resolve) => {
      ended.signal.addEventListener('abort', () => {
        stop();
        // The next tab to lead begins again; until then no tab receives anything.
        channel.postMessage({ ...state, isLive: false, people: [] });
        channel.close();
        resolve();
      });
    });
  };
  navigator.locks.request(name, { signal: ended.signal }, lead).catch(() => {
    // It ended before its turn came.
    channel.close();
  });
  channel.postMessage({ kind: 'ask' });
  return () => {
    ended.abort();
  };
}

type StreamListener = {
  [Name in keyof LiveEvents]: (event: LiveEvents[Name]) => void;
} & {
  /** Nothing is received until the next `hello`. */
  lost: () => void;
};

const ADDRESS = '/console/api/live';
const NAMES = ['hello', 'change', 'presence', 'session'] as const;
/** A refused stream, such as one that the gateway has no room for, is asked for again after this time. */
const REFUSED_MS = 30_000;

/**
 * Follows the stream of this person until the returned function is called. The browser itself reconnects after a break.
 */
function followStream(staffId: string, listener: StreamListener): () => void {
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

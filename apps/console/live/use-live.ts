import type { ChangeKind } from '@offizin/contracts/live';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLock } from '../shell/lock';
import { sessionQuery } from '../shell/session.calls';
import { type News, shareStream } from './leader';
import { live } from './live';

/** After a connection, calls that are under way are let through before everything is asked again. */
const SETTLE_MS = 500;
/** With more streams than this, the consoles of an organization spread their questions. */
const CROWD = 20;
const SPREAD_MS = 1_000;
/** Until then, the catalog has reserved or released the pieces of an order that it heard of by the same event. */
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
      hear(news, client, asking);
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

function hear(news: News, client: QueryClient, asking: Asking): void {
  switch (news.kind) {
    case 'state': {
      const isLost = live.current().isLive && !news.isLive;
      live.hear(news);
      // Their answers begin the asking at intervals.
      if (isLost) void client.invalidateQueries();
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
const SCREENS: readonly { screen: string; kind: ChangeKind; withDetails?: boolean }[] = [
  { screen: 'requests', kind: 'order_request' },
  { screen: 'orders', kind: 'order' },
  { screen: 'stock', kind: 'inventory' },
  { screen: 'stock', kind: 'product' },
  { screen: 'products', kind: 'product' },
  { screen: 'products', kind: 'inventory' },
  { screen: 'webhooks', kind: 'webhook', withDetails: true },
  // Orders reserve pieces.
  { screen: 'stock', kind: 'order', withDetails: true },
];

/** Lists and counts of the screens that show something of it, and the details of what changed. */
function askChanged({ changes, all }: Extract<News, { kind: 'change' }>, client: QueryClient): void {
  if (all) {
    void client.invalidateQueries();
    return;
  }
  for (const { screen, kind: shown, withDetails = false } of SCREENS) {
    const ids = new Set(changes.filter(({ kind }) => kind === shown).map(({ id }) => id));
    if (ids.size > 0)
      void client.invalidateQueries({
        queryKey: [screen],
        predicate: ({ queryKey: [, what, , id] }) =>
          what !== 'detail' || withDetails || (typeof id === 'string' && ids.has(id)),
      });
  }
}

import type { LiveEvents, LivePerson } from '@offizin/contracts/live';
import { followStream } from './stream';

/** What the tab with the stream tells the others, and itself. */
export type News =
  | { kind: 'state'; isLive: boolean; people: readonly LivePerson[] }
  | { kind: 'hello'; open: number }
  | ({ kind: 'change' } & LiveEvents['change'])
  | { kind: 'session' };

/** A tab that has just opened wants to know the state. */
type Message = News | { kind: 'ask' };

/**
 * One stream for all tabs of a browser: the tab that holds the Web Lock has it and tells the others. Lock and channel
 * are named after the person, so that nobody hears another person's news. Returns what ends it.
 */
export function shareStream(staffId: string, onNews: (news: News) => void): () => void {
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
        // The next tab to lead begins anew; until then nobody hears anything.
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

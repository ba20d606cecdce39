import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { lock } from '../shell/lock';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { type Held, HeldDecisions } from './held-decisions';
import { sendSurely, StaleDecision } from './send-surely';

/** What a screen adds to holding and sending: its call, its words, and what is read again. */
export interface Manner<Act> {
  /** One attempt; it is repeated while the server is away. */
  send: (decision: Held<Act>, keepalive: boolean) => Promise<unknown>;
  /** Resolves when what the screen shows has been read again. */
  onSent: (decision: Held<Act>) => Promise<unknown>;
  onRefused: (decision: Held<Act>, error: unknown) => void;
  /** An undone object is to be shown again. */
  onBack: (id: string) => void;
  words: {
    held: (decision: Held<Act>) => string;
    undo: string;
    away: (customer: string) => string;
  };
}

export interface HeldActs<Act> {
  decided: ReadonlyMap<string, Held<Act>>;
  decide: (object: { id: string; customer: string }, act: Act) => void;
  /** Takes back the newest decision that is still held; the id of its object, or null. */
  undo: () => string | null;
}

/** The held decisions of this page, with their messages. */
export function useHeld<Act>(manner: Manner<Act>): HeldActs<Act> {
  const { words, onBack } = manner;
  const { settings } = useSession();
  const [store] = useState(() => new Store<Act>());
  useLayoutEffect(() => {
    store.connect(manner);
  });
  const decided = useSyncExternalStore(store.subscribe, store.held.decided);
  useEffect(() => {
    const leave = () => {
      store.held.releaseAll();
    };
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [store]);

  const undo = (id?: string) => {
    const decision = store.held.undo(id);
    if (!decision) return null;
    toasts.close(toastOf(decision));
    return decision.id;
  };
  return {
    decided,
    undo: () => undo(),
    decide: (object, act) => {
      const undoMs = settings.undo_seconds * 1_000;
      const decision = store.held.decide(object, act, undoMs);
      if (!decision || undoMs === 0) return;
      const run = () => {
        const id = undo(object.id);
        if (id !== null) onBack(id);
      };
      const action = { label: words.undo, key: 'z', run };
      toasts.show({ id: toastOf(decision), text: words.held(decision), action, countdownMs: undoMs });
    },
  };
}

function sendHeld<Act>({ send, words }: Manner<Act>, decision: Held<Act>, keepalive: boolean) {
  // A page that closes has one attempt, and none below a lock: the cookie may be another person's by then.
  if (keepalive) return lock.current() === null ? send(decision, true) : Promise.reject(new StaleDecision());
  const id = `sending-${decision.key}`;
  const sending = sendSurely(() => send(decision, false), {
    nowMs: () => Date.now(),
    wait: (ms) => new Promise((resolve) => window.setTimeout(resolve, ms)),
    whenUnlocked: () => lock.whenOpen(),
    onEnded: () => {
      lock.close('ended');
    },
    onAway: () => {
      toasts.show({ id, text: words.away(decision.customer), stays: true });
    },
  });
  return sending.finally(() => {
    toasts.close(id);
  });
}

function toastOf({ key }: { key: string }): string {
  return `decision-${key}`;
}

/** Joins the rule to the browser's clock and to React, with the callbacks of the last render. */
class Store<Act> {
  private readonly listeners = new Set<() => void>();
  private latest: Manner<Act> | null = null;

  readonly held = new HeldDecisions<Act>({
    after: (ms, run) => {
      const timer = window.setTimeout(run, ms);
      return () => {
        window.clearTimeout(timer);
      };
    },
    newKey: () => crypto.randomUUID(),
    send: (decision, keepalive) =>
      this.latest
        ? sendHeld(this.latest, decision, keepalive)
        : Promise.reject(new Error('the page is not ready')),
    onSent: (decision) =>
      void this.latest?.onSent(decision).then(() => {
        this.held.forget(decision);
      }),
    onRefused: (decision, error) => this.latest?.onRefused(decision, error),
    onChange: () => {
      for (const listener of this.listeners) listener();
    },
  });

  connect(manner: Manner<Act>): void {
    this.latest = manner;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

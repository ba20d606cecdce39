import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { sentenceOf } from '../shell/fault';
import { lock } from '../shell/lock';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import type { Texts } from '../text/de';
import type { Formats } from '../text/formats';
import { useFormats, useTexts } from '../text/texts';
import { decidedElsewhere } from './decided-elsewhere';
import type { Act, Decision } from './decision';
import { HeldDecisions } from './held-decisions';
import { sendDecision } from './requests.calls';
import { sendSurely, StaleDecision } from './send-surely';
import { forgetEdits, keepProblems } from './use-edits';

export interface Decisions {
  hiddenIds: ReadonlySet<string>;
  decide: (request: { id: string; customer: string }, act: Act) => void;
  /** Takes back the newest decision that is still held; its request, or null. */
  undo: () => string | null;
}

/** The held decisions of this page, with their messages. `onBack`: an undone request is to be shown again. */
export function useDecisions(onBack: (id: string) => void): Decisions {
  const texts = useTexts();
  const formats = useFormats();
  const { org, settings } = useSession();
  const client = useQueryClient();
  const [store] = useState(() => new Store());
  useLayoutEffect(() => {
    store.connect({
      send: (decision, keepalive) => sendHeld(org.id, decision, keepalive, texts),
      onSent: (decision) => {
        forgetEdits(client, decision);
        const readAgain = client.invalidateQueries({ queryKey: ['requests'] });
        void readAgain.then(() => {
          store.held.forget(decision);
        });
      },
      onRefused: (decision, error) => {
        keepProblems(client, decision, error);
        toasts.show(refusalToast(decision, error, texts, formats));
        // The row comes back; what the person is reading stays.
        void client.invalidateQueries({ queryKey: ['requests'] });
      },
    });
  });
  const hiddenIds = useSyncExternalStore(store.subscribe, store.held.hiddenIds);
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
    hiddenIds,
    undo: () => undo(),
    decide: (request, act) => {
      const undoMs = settings.undo_seconds * 1_000;
      const decision = store.held.decide(request, act, undoMs);
      if (!decision || undoMs === 0) return;
      const run = () => {
        const id = undo(request.id);
        if (id !== null) onBack(id);
      };
      const action = { label: texts.requests.undo, key: 'z', run };
      const text = texts.requests.held[act.kind](request.customer);
      toasts.show({ id: toastOf(decision), text, action, countdownMs: undoMs });
    },
  };
}

/** That a colleague was first is no failure. */
function refusalToast({ customer }: Decision, error: unknown, texts: Texts, formats: Formats) {
  const other = decidedElsewhere(error);
  if (!other) {
    const sentence = error instanceof StaleDecision ? texts.requests.stale : sentenceOf(error, texts);
    return { text: texts.requests.refused(customer, sentence), tone: 'failure' } as const;
  }
  return { text: texts.deciding.decidedBy[other.status](customer, other.name, formats.time(other.at)) };
}

function sendHeld(orgId: string, decision: Decision, keepalive: boolean, texts: Texts): Promise<unknown> {
  const send = () => sendDecision(orgId, decision, keepalive);
  // A page that closes has one attempt, and none below a lock: the cookie may be another person's by then.
  if (keepalive) return lock.current() === null ? send() : Promise.reject(new StaleDecision());
  const id = `sending-${decision.key}`;
  const sending = sendSurely(send, {
    nowMs: () => Date.now(),
    wait: (ms) => new Promise((resolve) => window.setTimeout(resolve, ms)),
    whenUnlocked: () => lock.whenOpen(),
    onEnded: () => {
      lock.close('ended');
    },
    onAway: () => {
      toasts.show({ id, text: texts.requests.away(decision.customer), stays: true });
    },
  });
  return sending.finally(() => {
    toasts.close(id);
  });
}

function toastOf({ key }: Decision): string {
  return `decision-${key}`;
}

type Connection = Pick<ConstructorParameters<typeof HeldDecisions>[0], 'send' | 'onSent' | 'onRefused'>;

/** Joins the rule to the browser's clock and to React, with the callbacks of the last render. */
class Store {
  private readonly listeners = new Set<() => void>();
  private latest: Connection | null = null;

  readonly held = new HeldDecisions({
    after: (ms, run) => {
      const timer = window.setTimeout(run, ms);
      return () => {
        window.clearTimeout(timer);
      };
    },
    newKey: () => crypto.randomUUID(),
    send: (decision, keepalive) =>
      this.latest?.send(decision, keepalive) ?? Promise.reject(new Error('the page is not ready')),
    onSent: (decision) => this.latest?.onSent(decision),
    onRefused: (decision, error) => this.latest?.onRefused(decision, error),
    onChange: () => {
      for (const listener of this.listeners) listener();
    },
  });

  connect(connection: Connection): void {
    this.latest = connection;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

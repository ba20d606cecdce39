import { lock } from '../../session/lock';
import type { LeftBehind } from '../../session/left-behind';
import { tabWork, type Work } from '../../session/tab-work';
import { toasts } from '../../messages/toasts';
import { type Held, HeldDecisions } from './held-decisions';
import { sendSurely, StaleDecision } from './send-surely';

/** What a screen adds to holding and sending: its calls, its words, and what is read again. */
export interface ScreenHandlers<Act> {
  /** One attempt; it is repeated while the server is unreachable. */
  send: (decision: Held<Act>, keepalive: boolean) => Promise<unknown>;
  /** Resolves when what the screen shows has been read again. */
  onSent: (decision: Held<Act>) => Promise<unknown>;
  onRefused: (decision: Held<Act>, error: unknown) => void;
  /** Leads to the object, from every page; with the decision that was taken back. */
  onBack: (id: string, undone?: Held<Act>) => void;
  /** Fields that the object has once the server has taken the decision. */
  becomes: (act: Act) => LeftBehind['becomes'];
  /** The object as the server has it now. */
  read: (id: string) => Promise<{ customer: string; fields: Readonly<Record<string, unknown>> }>;
  words: {
    held: (decision: Held<Act>) => string;
    undo: string;
    away: (customer: string) => string;
    /** The page went before the server answered. Null: whose it is cannot be read. */
    left: (customer: string | null) => string;
    show: string;
  };
}

/**
 * Joins the rule to the browser's clock and to React. One per screen, while the tab shows the same person. Decisions
 * are held, sent and undone on every page, with the callbacks of the screen's last render.
 */
export class HeldScreen<Act> implements Work {
  private readonly listeners = new Set<() => void>();
  private readonly repeated = new Set<string>();
  private handlers: ScreenHandlers<Act> | null = null;

  readonly held = new HeldDecisions<Act>({
    after: (ms, run) => {
      const timer = window.setTimeout(run, ms);
      return () => {
        window.clearTimeout(timer);
      };
    },
    newKey: () => crypto.randomUUID(),
    send: (decision, keepalive) => this.send(decision, keepalive),
    onSent: (decision) => {
      toasts.close(toastOf(decision));
      void this.handlers?.onSent(decision).then(() => {
        this.held.forget(decision);
      });
    },
    onRefused: (decision, error) => {
      toasts.close(toastOf(decision));
      this.handlers?.onRefused(decision, error);
    },
    onChange: () => {
      for (const listener of this.listeners) listener();
    },
  });

  constructor(readonly name: string) {
    tabWork.add(this);
  }

  connect(handlers: ScreenHandlers<Act>): void {
    this.handlers = handlers;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly finish = (): Promise<boolean> => this.held.finish();

  readonly leave = (): Omit<LeftBehind, 'staffId'>[] => {
    const { handlers, name } = this;
    const left = this.held.leave();
    return handlers ? left.map(({ id, act }) => ({ screen: name, id, becomes: handlers.becomes(act) })) : [];
  };

  readonly isRepeating = (): boolean => this.repeated.size > 0;

  private send(decision: Held<Act>, keepalive: boolean): Promise<unknown> {
    const { handlers } = this;
    if (!handlers) return Promise.reject(new Error('the page is not ready'));
    const { send, words } = handlers;
    // A page that closes has one attempt, and none below a lock: the cookie may be another person's by then.
    if (keepalive)
      return lock.current() === null ? send(decision, true) : Promise.reject(new StaleDecision());
    const id = `away-${decision.key}`;
    const sending = sendSurely(() => send(decision, false), {
      nowMs: () => Date.now(),
      wait: (ms) => new Promise((resolve) => window.setTimeout(resolve, ms)),
      whenUnlocked: () => lock.whenOpen(),
      onEnded: () => {
        lock.close('ended');
      },
      onAway: () => {
        this.repeated.add(decision.key);
        toasts.show({ id, text: words.away(decision.customer), stays: true });
      },
    });
    return sending.finally(() => {
      this.repeated.delete(decision.key);
      toasts.close(id);
    });
  }
}

/** Id of the message that offers to undo a decision. */
export function toastOf({ key }: { key: string }): string {
  return `decision-${key}`;
}

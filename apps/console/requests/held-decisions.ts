import type { Act, Decision } from './decision';

/** How the held decisions act on the world; a spec gives its own. */
export interface Surroundings {
  /** Calls `run` after `ms`; the answer cancels it. */
  after: (ms: number, run: () => void) => () => void;
  newKey: () => string;
  /** Resolves when the server has taken the decision, rejects with its refusal. */
  send: (decision: Decision, keepalive: boolean) => Promise<unknown>;
  onRefused: (decision: Decision, error: unknown) => void;
  onSent: (decision: Decision) => void;
  onChange: () => void;
}

interface Held {
  decision: Decision;
  cancel: () => void;
}

/**
 * Decisions that wait for their undo time, and those on the way to the server. They live in memory only: a browser
 * that dies has decided nothing, and the request is still open.
 */
export class HeldDecisions {
  private readonly held = new Map<string, Held>();
  private readonly sending = new Set<string>();
  private readonly done = new Set<string>();
  private hidden: ReadonlySet<string> = new Set();

  constructor(private readonly world: Surroundings) {}

  /** One decision per request: a second one while the first is held or on its way is ignored. */
  decide(request: { id: string; customer: string }, act: Act, undoMs: number): Decision | null {
    const { id, customer } = request;
    if (this.held.has(id) || this.sending.has(id)) return null;
    const decision = { id, customer, key: this.world.newKey(), act };
    if (undoMs === 0) this.send(decision, false);
    else this.held.set(id, { decision, cancel: this.world.after(undoMs, () => this.release(id, false)) });
    this.changed();
    return decision;
  }

  /** Takes back the newest held decision, or the named one; null when it is too late. */
  undo(id: string | undefined = [...this.held.keys()].at(-1)): Decision | null {
    const held = id === undefined ? undefined : this.held.get(id);
    if (!held) return null;
    held.cancel();
    this.held.delete(held.decision.id);
    this.changed();
    return held.decision;
  }

  /** Sends everything that is held at once: the page closes, or the person signs out. */
  release(id: string, keepalive: boolean): void {
    const held = this.held.get(id);
    if (!held) return;
    held.cancel();
    this.held.delete(id);
    this.send(held.decision, keepalive);
  }

  releaseAll(): void {
    for (const id of [...this.held.keys()]) this.release(id, true);
  }

  /** Requests that the list does not show: decided, as far as this browser knows. */
  readonly hiddenIds = (): ReadonlySet<string> => this.hidden;

  private send(decision: Decision, keepalive: boolean): void {
    const { id } = decision;
    this.sending.add(id);
    this.world.send(decision, keepalive).then(
      () => {
        this.sending.delete(id);
        this.done.add(id);
        this.changed();
        this.world.onSent(decision);
      },
      (error: unknown) => {
        this.sending.delete(id);
        this.changed();
        this.world.onRefused(decision, error);
      },
    );
  }

  /** The lists have been read again since it was sent: what the server shows is true. */
  forget({ id }: Decision): void {
    if (this.done.delete(id)) this.changed();
  }

  private changed(): void {
    this.hidden = new Set([...this.held.keys(), ...this.sending, ...this.done]);
    this.world.onChange();
  }
}

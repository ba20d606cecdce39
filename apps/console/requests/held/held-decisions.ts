/** What a person has decided about one object, such as a request or an order, as it was on the screen. */
export interface Held<Act> {
  /** Of the object. */
  id: string;
  /** For messages. */
  customer: string;
  /** Idempotency key: the same for every attempt to send it. */
  key: string;
  act: Act;
}

/** `held`: it can be undone. `sent`: the server has it, and the lists have not been read again since. */
export type Phase = 'held' | 'sending' | 'sent';

export interface HeldInPhase<Act> extends Held<Act> {
  phase: Phase;
}

/** What the held decisions call: timers, the server and the screen. A spec gives its own. */
export interface DecisionHandlers<Act> {
  /** Calls `run` after `ms`; the answer cancels it. */
  after: (ms: number, run: () => void) => () => void;
  newKey: () => string;
  /** Resolves when the server has taken the decision, rejects with its refusal. */
  send: (decision: Held<Act>, keepalive: boolean) => Promise<unknown>;
  onRefused: (decision: Held<Act>, error: unknown) => void;
  onSent: (decision: Held<Act>) => void;
  onChange: () => void;
}

interface Entry<Act> {
  decision: Held<Act>;
  phase: Phase;
  /** Ends the undo time. */
  cancel: () => void;
  /** Whether the server has taken it. */
  outcome: Promise<boolean> | null;
}

/**
 * Decisions that wait for their undo time, and those on the way to the server. They live in memory only: a browser
 * that dies has decided nothing, and the object is as it was.
 */
export class HeldDecisions<Act> {
  private readonly entries = new Map<string, Entry<Act>>();
  private taken: ReadonlyMap<string, HeldInPhase<Act>> = new Map();

  constructor(private readonly handlers: DecisionHandlers<Act>) {}

  /** One decision per object: null while there is another one, until that is undone or known to the lists. */
  decide(object: { id: string; customer: string }, act: Act, undoMs: number): Held<Act> | null {
    const { id, customer } = object;
    if (this.entries.has(id)) return null;
    const decision = { id, customer, key: this.handlers.newKey(), act };
    const entry: Entry<Act> = { decision, phase: 'held', cancel: () => undefined, outcome: null };
    this.entries.set(id, entry);
    if (undoMs === 0) this.send(entry, false);
    else entry.cancel = this.handlers.after(undoMs, () => this.send(entry, false));
    this.changed();
    return decision;
  }

  /** Takes back the decision about this object; null when it is too late. */
  undo(id: string): Held<Act> | null {
    const entry = this.entries.get(id);
    if (entry?.phase !== 'held') return null;
    entry.cancel();
    this.entries.delete(id);
    this.changed();
    return entry.decision;
  }

  /** The person signs out: sends what is held now. Resolves with whether the server has taken everything. */
  async finish(): Promise<boolean> {
    for (const entry of this.inPhase('held')) this.send(entry, false);
    const outcomes = await Promise.all(this.inPhase('sending').flatMap(({ outcome }) => outcome ?? []));
    return !outcomes.includes(false);
  }

  /**
   * The page closes: sends unanswered decisions once more, to outlive the page. Returns them, because this page does not
   * receive the answers.
   */
  leave(): Held<Act>[] {
    const sending = this.inPhase('sending');
    const held = this.inPhase('held');
    for (const { decision } of sending) this.handlers.send(decision, true).catch(() => undefined);
    for (const entry of held) this.send(entry, true);
    return [...sending, ...held].map(({ decision }) => decision);
  }

  /** The decisions that this browser knows of and the lists do not show yet, by the id of their object. */
  readonly decided = (): ReadonlyMap<string, HeldInPhase<Act>> => this.taken;

  /** The lists have been read again since it was sent: what the server shows is true. */
  forget({ id, key }: Held<Act>): void {
    const entry = this.entries.get(id);
    if (entry?.phase !== 'sent' || entry.decision.key !== key) return;
    this.entries.delete(id);
    this.changed();
  }

  private send(entry: Entry<Act>, keepalive: boolean): void {
    const { decision } = entry;
    entry.cancel();
    entry.phase = 'sending';
    entry.outcome = this.handlers.send(decision, keepalive).then(
      () => {
        entry.phase = 'sent';
        this.changed();
        this.handlers.onSent(decision);
        return true;
      },
      (error: unknown) => {
        this.entries.delete(decision.id);
        this.changed();
        this.handlers.onRefused(decision, error);
        return false;
      },
    );
    this.changed();
  }

  private inPhase(phase: Phase): Entry<Act>[] {
    return [...this.entries.values()].filter((entry) => entry.phase === phase);
  }

  private changed(): void {
    const taken = [...this.entries].map(([id, { decision, phase }]) => [id, { ...decision, phase }] as const);
    this.taken = new Map(taken);
    this.handlers.onChange();
  }
}

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

/** How the held decisions act on the world; a spec gives its own. */
export interface Surroundings<Act> {
  /** Calls `run` after `ms`; the answer cancels it. */
  after: (ms: number, run: () => void) => () => void;
  newKey: () => string;
  /** Resolves when the server has taken the decision, rejects with its refusal. */
  send: (decision: Held<Act>, keepalive: boolean) => Promise<unknown>;
  onRefused: (decision: Held<Act>, error: unknown) => void;
  onSent: (decision: Held<Act>) => void;
  onChange: () => void;
}

interface Waiting<Act> {
  decision: Held<Act>;
  cancel: () => void;
}

/**
 * Decisions that wait for their undo time, and those on the way to the server. They live in memory only: a browser
 * that dies has decided nothing, and the object is as it was.
 */
export class HeldDecisions<Act> {
  private readonly held = new Map<string, Waiting<Act>>();
  private readonly sending = new Map<string, Held<Act>>();
  private readonly done = new Map<string, Held<Act>>();
  private taken: ReadonlyMap<string, Held<Act>> = new Map();

  constructor(private readonly world: Surroundings<Act>) {}

  /** One decision per object: a second one while the first is held or on its way is ignored. */
  decide(object: { id: string; customer: string }, act: Act, undoMs: number): Held<Act> | null {
    const { id, customer } = object;
    if (this.held.has(id) || this.sending.has(id)) return null;
    const decision = { id, customer, key: this.world.newKey(), act };
    if (undoMs === 0) this.send(decision, false);
    else this.held.set(id, { decision, cancel: this.world.after(undoMs, () => this.release(id, false)) });
    this.changed();
    return decision;
  }

  /** Takes back the newest held decision, or the named one; null when it is too late. */
  undo(id: string | undefined = [...this.held.keys()].at(-1)): Held<Act> | null {
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

  /** The decisions that this browser knows of and the lists do not show yet, by the id of their object. */
  readonly decided = (): ReadonlyMap<string, Held<Act>> => this.taken;

  private send(decision: Held<Act>, keepalive: boolean): void {
    const { id } = decision;
    this.sending.set(id, decision);
    this.world.send(decision, keepalive).then(
      () => {
        this.sending.delete(id);
        this.done.set(id, decision);
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
  forget({ id }: Held<Act>): void {
    if (this.done.delete(id)) this.changed();
  }

  private changed(): void {
    const held = [...this.held].map(([id, { decision }]) => [id, decision] as const);
    this.taken = new Map([...held, ...this.sending, ...this.done]);
    this.world.onChange();
  }
}

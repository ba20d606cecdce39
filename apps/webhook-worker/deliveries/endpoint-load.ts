/**
 * How much one endpoint gets at a time. Pure bookkeeping, one per subscription and process.
 *
 * - Slots: limit of requests in flight. A missing answer halves it, each answer adds one.
 * - Waiting: deliveries claimed beyond the slots, only for an endpoint that answers quickly. They fill a free slot
 *   without a claim, which takes as long as a quick request.
 */

/** An endpoint with a longer average answer time is slow: it profits from more requests in flight. */
const SOON_ANSWERED_MS = 25;
/** Nothing is claimed ahead for an endpoint with a longer average answer time. */
const QUICK_ANSWER_MS = 100;
/**
 * Claimed ahead: what a quick endpoint takes in this time, and at most this many per slot. Kept small because a process
 * that dies, or an endpoint that starts to hang, blocks them for a lease.
 */
const CLAIMED_AHEAD_MS = 250;
const MAX_CLAIMED_PER_SLOT = 64;
/** Weight of the newest answer in the average. */
const AVERAGE_WEIGHT = 0.2;

const MAX_IDLE_ENDPOINTS = 5_000;

/** Loads by subscription. */
export class EndpointLoads<Work> {
  private readonly loads = new Map<string, EndpointLoad<Work>>();

  constructor(private readonly maxSlots: number) {}

  of(id: string): EndpointLoad<Work> {
    let load = this.loads.get(id);
    if (!load) this.loads.set(id, (load = new EndpointLoad(this.maxSlots)));
    return load;
  }

  takeAll(): Work[] {
    return [...this.loads.values()].flatMap((load) => load.takeAll());
  }

  forgetIdle(except: ReadonlySet<string>): void {
    if (this.loads.size <= MAX_IDLE_ENDPOINTS) return;
    for (const [id, load] of this.loads) if (load.idle && !except.has(id)) this.loads.delete(id);
  }
}

export class EndpointLoad<Work> {
  /** The last claim returned the full count, so more is probably due. */
  mayHaveMore = false;
  private slots: number;
  private inFlight = 0;
  private waiting: Work[] = [];
  /** null until the first answer. */
  private averageMs: number | null = null;

  constructor(private readonly maxSlots: number) {
    this.slots = maxSlots;
  }

  /**
   * How many more deliveries to claim now. 0 while all slots have work and more than half of the window is used: this
   * avoids many small claims.
   */
  get wanted(): number {
    const free = this.window - this.inFlight - this.waiting.length;
    const isSlotIdle = this.inFlight + this.waiting.length < this.slots;
    return isSlotIdle || free * 2 >= this.window ? Math.max(0, free) : 0;
  }

  /** Whether to claim again now. */
  get hungry(): boolean {
    return this.mayHaveMore && this.wanted > 0;
  }

  get idle(): boolean {
    return this.inFlight === 0 && this.waiting.length === 0;
  }

  /** False while the answer time is unknown. */
  get isSlow(): boolean {
    return this.averageMs !== null && this.averageMs > SOON_ANSWERED_MS;
  }

  add(claimed: readonly Work[]): void {
    this.waiting.push(...claimed);
  }

  /** Takes a slot and the next work; undefined without a free slot or work. */
  start(): Work | undefined {
    if (this.inFlight >= this.slots) return undefined;
    const work = this.waiting.shift();
    if (work !== undefined) this.inFlight += 1;
    return work;
  }

  /** Frees the slot. `answered`: with any status. */
  finish(answered: boolean, durationMs: number): void {
    this.inFlight -= 1;
    this.slots = answered ? Math.min(this.maxSlots, this.slots + 1) : Math.max(1, this.slots >> 1);
    this.averageMs =
      this.averageMs === null ? durationMs : this.averageMs + AVERAGE_WEIGHT * (durationMs - this.averageMs);
  }

  /** Frees the slot; no request was made. */
  skip(): void {
    this.inFlight -= 1;
  }

  /** Removes and returns the work that would wait too long; its leases are to be released. */
  takeExcess(): Work[] {
    return this.quick ? [] : this.waiting.splice(Math.max(0, this.slots - this.inFlight));
  }

  takeAll(): Work[] {
    return this.waiting.splice(0);
  }

  private get window(): number {
    if (!this.quick) return this.slots;
    const perSlot = CLAIMED_AHEAD_MS / Math.max(this.averageMs ?? 0, 1);
    return this.slots * Math.round(Math.min(MAX_CLAIMED_PER_SLOT, perSlot));
  }

  private get quick(): boolean {
    return this.slots === this.maxSlots && this.averageMs !== null && this.averageMs <= QUICK_ANSWER_MS;
  }
}

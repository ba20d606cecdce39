import { Counter, Gauge } from 'prom-client';
import { Unreachable } from '@offizin/contracts/calls/errors';

/**
 * A fair semaphore: a free slot goes to the waiting party with the least recent use (decision 0030). A party is an
 * organization, or an address without a known key.
 */
export interface FairSharesOptions {
  /** For metrics, and for messages after "its whole share of": `report time`. */
  name: string;
  slots: number;
  perParty: number;
  /** While another party is active; default `perParty`. */
  perPartyBesideOthers?: number;
  /** While others are active, a party rests after each use for as long as the use took, at most this long. */
  maxRestMs?: number;
  waitMs: number;
  maxWaiting: number;
  /** Parties that get a free slot before others; after `inARow` such slots, a waiting other party gets one. */
  first?: { has: (party: string) => boolean; inARow: number };
  /** Default: that of the organizations in this process. */
  activity?: Activity;
  nowMs?: () => number;
}

/** Recorded use decays by half in this time. */
const HALF_LIFE_MS = 1_000;
/** A party counts as active for this long after its last call. */
const ACTIVE_MS = 10_000;
const MAX_KNOWN_PARTIES = 10_000;

interface Waiting {
  begin: (release: () => void) => void;
  leave: () => void;
}

interface Party {
  running: number;
  queue: Waiting[];
  usedMs: number;
  atMs: number;
}

/**
 * Which parties are active. The resources of a process have one in common: an organization that reads documents is
 * beside others also when those read none.
 */
export class Activity {
  private latest = { party: '', atMs: -Infinity };
  private otherAtMs = -Infinity;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  note(party: string): void {
    if (party !== this.latest.party) {
      this.otherAtMs = this.latest.atMs;
      this.latest.party = party;
    }
    this.latest.atMs = this.nowMs();
  }

  areOthersActive(party: string): boolean {
    const atMs = party === this.latest.party ? this.otherAtMs : this.latest.atMs;
    return this.nowMs() - atMs < ACTIVE_MS;
  }
}

export const organizations = new Activity();

export class FairShares {
  private readonly parties = new Map<string, Party>();
  private readonly waitingParties = new Map<string, Party>();
  private readonly nowMs: () => number;
  private running = 0;
  /** Slots for which another party had to wait behind `first`. */
  private firstInARow = 0;
  private readonly activity: Activity;

  constructor(private readonly options: FairSharesOptions) {
    this.nowMs = options.nowMs ?? (() => performance.now());
    this.activity = options.activity ?? organizations;
    sharesWaiting.set({ share: options.name }, 0);
    sharesRefused.inc({ share: options.name }, 0);
  }

  /** Resolves with the function that releases the slot. Throws `Unreachable`, or the reason of the abort. */
  acquire(party: string, signal?: AbortSignal): Promise<() => void> {
    const release = this.tryAcquire(party);
    return release ? Promise.resolve(release) : this.wait(party, signal);
  }

  /** Returns the idempotent release, or null when the party has to wait. */
  tryAcquire(party: string): (() => void) | null {
    this.activity.note(party);
    const own = this.partyOf(party);
    if (own.queue.length > 0 || this.running >= this.options.slots || !this.mayStart(party, own)) return null;
    return this.start(party, own);
  }

  async run<T>(party: string, work: () => Promise<T>): Promise<T> {
    const release = this.tryAcquire(party) ?? (await this.wait(party));
    try {
      return await work();
    } finally {
      release();
    }
  }

  private wait(party: string, signal?: AbortSignal): Promise<() => void> {
    const { waitMs, maxWaiting } = this.options;
    const own = this.partyOf(party);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(reasonOf(signal));
      if (own.queue.length >= maxWaiting) return reject(this.refusal(party, own));
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        sharesWaiting.dec({ share: this.options.name });
      };
      const waiting: Waiting = {
        begin: (release) => {
          end();
          resolve(release);
        },
        leave: () => {
          end();
          own.queue = own.queue.filter((other) => other !== waiting);
          if (own.queue.length === 0) this.waitingParties.delete(party);
        },
      };
      const timer = setTimeout(() => {
        waiting.leave();
        reject(this.refusal(party, own));
      }, waitMs);
      const aborted = (): void => {
        waiting.leave();
        if (signal) reject(reasonOf(signal));
      };
      signal?.addEventListener('abort', aborted);
      own.queue.push(waiting);
      this.waitingParties.set(party, own);
      sharesWaiting.inc({ share: this.options.name });
    });
  }

  private start(party: string, own: Party): () => void {
    this.account(own);
    own.running++;
    this.running++;
    const startedAtMs = this.nowMs();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.running--;
      const restMs = this.restMs(party, this.nowMs() - startedAtMs);
      if (restMs < 1) return this.leave(own);
      setTimeout(() => this.leave(own), restMs);
      // Others may use the slot during the rest.
      this.handOut();
    };
  }

  private leave(own: Party): void {
    this.account(own);
    own.running--;
    this.handOut();
  }

  private restMs(party: string, workedMs: number): number {
    const { maxRestMs = 0 } = this.options;
    return maxRestMs > 0 && this.activity.areOthersActive(party) ? Math.min(workedMs, maxRestMs) : 0;
  }

  /** One release may start several calls, because their limit may have risen since they queued. */
  private handOut(): void {
    while (this.waitingParties.size > 0 && this.running < this.options.slots) {
      const next = this.next();
      if (!next) return;
      const [party, own] = next;
      const waiting = own.queue.shift();
      if (own.queue.length === 0) this.waitingParties.delete(party);
      waiting?.begin(this.start(party, own));
    }
  }

  /** The waiting party with the least use, of `first` or of the others. */
  private next(): [string, Party] | null {
    const { first } = this.options;
    let ofFirst: [string, Party] | null = null;
    let ofOthers: [string, Party] | null = null;
    for (const entry of this.waitingParties) {
      const [party, own] = entry;
      if (!this.mayStart(party, own)) continue;
      this.account(own);
      if (first?.has(party)) ofFirst = lessUsed(ofFirst, entry);
      else ofOthers = lessUsed(ofOthers, entry);
    }
    if (!first || !ofFirst || !ofOthers) return ofFirst ?? ofOthers;
    this.firstInARow = (this.firstInARow + 1) % (first.inARow + 1);
    return this.firstInARow === 0 ? ofOthers : ofFirst;
  }

  private mayStart(party: string, own: Party): boolean {
    const { perParty, perPartyBesideOthers = perParty } = this.options;
    if (own.running < Math.min(perParty, perPartyBesideOthers)) return true;
    return own.running < perParty && !this.activity.areOthersActive(party);
  }

  /** Adds the slot time since the last change of `running`, weighted by its age. */
  private account(own: Party): void {
    const nowMs = this.nowMs();
    const left = 2 ** ((own.atMs - nowMs) / HALF_LIFE_MS);
    own.usedMs = own.usedMs * left + own.running * (1 - left) * (HALF_LIFE_MS / Math.LN2);
    own.atMs = nowMs;
  }

  private partyOf(party: string): Party {
    const known = this.parties.get(party);
    if (known) return known;
    if (this.parties.size >= MAX_KNOWN_PARTIES) this.forgetIdle();
    const own: Party = { running: 0, queue: [], usedMs: 0, atMs: this.nowMs() };
    this.parties.set(party, own);
    return own;
  }

  private forgetIdle(): void {
    for (const [party, { running, queue }] of this.parties) {
      if (running === 0 && queue.length === 0) this.parties.delete(party);
    }
  }

  private refusal(party: string, own: Party): Unreachable {
    const { name } = this.options;
    sharesRefused.inc({ share: name });
    const message = this.mayStart(party, own)
      ? `All ${name} is in use. Try again in a moment.`
      : `Your organization uses its whole share of ${name}. Try again in a moment.`;
    return new Unreachable('service_unavailable', message);
  }
}

function lessUsed(known: [string, Party] | null, entry: [string, Party]): [string, Party] {
  return known === null || entry[1].usedMs < known[1].usedMs ? entry : known;
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted');
}

const sharesWaiting = new Gauge({
  name: 'offizin_shares_waiting',
  help: 'Calls waiting for a slot of a shared resource, by resource',
  labelNames: ['share'] as const,
});

const sharesRefused = new Counter({
  name: 'offizin_shares_refused_total',
  help: 'Calls that got no slot of a shared resource in time, by resource',
  labelNames: ['share'] as const,
});

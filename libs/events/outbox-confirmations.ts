import type { EventLane } from '@offizin/contracts/events';
import { groupBy } from './group-by';

/** Ids of those of the given events that some consumer of the lane does not know yet. */
export type AskUnknown = (lane: EventLane, ids: string[]) => Promise<string[]>;

const MIN_AGE_MS = 1_000;
const PACE_MS = 1_000;
/** Whatever no consumer knew by now is marked as published instead, and settled with all that is marked. */
const MAX_AGE_MS = 4_000;
const MAX_IDS = 500;
const MAX_WAITING = 50_000;

interface Published {
  id: string;
  lane: EventLane;
  atMs: number;
}

/**
 * Events that are published and whose rows are neither marked nor deleted. Their consumers are asked a second later, in
 * the background, so that a consumer that is slow to answer holds up no event; what all of them know may be deleted.
 *
 * Buys: a row is written and deleted; a mark in between is a second version of it, with an entry in every index (20 to
 * 50 µs of a core and 830 bytes of log per event). What it costs: a process that is killed leaves up to four seconds of
 * events that are published again, mostly one; consumers know them by their ids.
 */
export class OutboxConfirmations {
  private waiting: Published[] = [];
  private known: string[] = [];
  private asking = false;
  private askedAtMs = 0;

  constructor(private readonly unknown: AskUnknown) {}

  add(rows: readonly { id: string; lane: EventLane }[]): void {
    const atMs = performance.now();
    for (const { id, lane } of rows) this.waiting.push({ id, lane, atMs });
  }

  /** Asks for what is old enough, when it is time; the answers come later. */
  ask(): void {
    const nowMs = performance.now();
    if (this.asking || nowMs - this.askedAtMs < PACE_MS) return;
    const old = this.waiting.slice(
      0,
      this.countOf(({ atMs }) => nowMs - atMs >= MIN_AGE_MS),
    );
    if (old.length === 0) return;
    this.asking = true;
    this.askedAtMs = nowMs;
    void this.askFor(old).finally(() => (this.asking = false));
  }

  /** What every consumer knows; each id once. */
  takeKnown(): string[] {
    return this.known.splice(0);
  }

  /** What waits for too long, or is too much to remember. */
  takeOverdue(): string[] {
    const oldestMs = performance.now() - MAX_AGE_MS;
    const tooMany = this.waiting.length - MAX_WAITING;
    const overdue = this.countOf(({ atMs }, place) => atMs < oldestMs || place < tooMany);
    return this.waiting.splice(0, overdue).map(({ id }) => id);
  }

  /** Everything of which it is not known that every consumer knows it; forgotten here. */
  takeAll(): string[] {
    return this.waiting.splice(0).map(({ id }) => id);
  }

  /** How many of the oldest it is true of. */
  private countOf(isTrue: (event: Published, place: number) => boolean): number {
    let count = 0;
    for (const event of this.waiting) {
      if (!isTrue(event, count)) break;
      count++;
    }
    return count;
  }

  private async askFor(published: readonly Published[]): Promise<void> {
    for (const [lane, members] of groupBy(published, (event) => event.lane)) {
      for (let place = 0; place < members.length; place += MAX_IDS) {
        const ids = members.slice(place, place + MAX_IDS).map(({ id }) => id);
        const answer = await this.unknown(lane, ids).catch(() => null);
        // A consumer that cannot be asked leaves its lane as it is, until the next time.
        if (answer === null) break;
        const unknown = new Set(answer);
        const known = new Set(ids.filter((id) => !unknown.has(id)));
        this.waiting = this.waiting.filter(({ id }) => !known.has(id));
        this.known.push(...known);
      }
    }
  }
}

import type { EventTopic } from '@offizin/contracts/webhooks/events';
import { groupBy } from './outbox-publishing';

export type AskUnknown = (topic: EventTopic, ids: string[]) => Promise<string[]>;

const MIN_AGE_MS = 1_000;
const PACE_MS = 1_000;
/** Older rows get `published_at` and are reconciled later. */
const MAX_AGE_MS = 4_000;
const MAX_IDS = 500;
const MAX_WAITING = 50_000;

interface Published {
  id: string;
  topic: EventTopic;
  atMs: number;
}

/**
 * Published events whose rows have no `published_at` yet and are not deleted (decision 0023). Their consumers are asked
 * in the background, so that a slow one delays no event. A killed process repeats events of up to MAX_AGE_MS.
 */
export class OutboxConfirmations {
  private waiting: Published[] = [];
  private known: string[] = [];
  private asking = false;
  private queriedAtMs = 0;

  constructor(private readonly unknown: AskUnknown) {}

  add(rows: readonly { id: string; topic: EventTopic }[]): void {
    const atMs = performance.now();
    for (const { id, topic } of rows) this.waiting.push({ id, topic, atMs });
  }

  /** Does not wait for the answers. */
  ask(): void {
    const nowMs = performance.now();
    if (this.asking || nowMs - this.queriedAtMs < PACE_MS) return;
    const old = this.waiting.slice(
      0,
      this.countOf(({ atMs }) => nowMs - atMs >= MIN_AGE_MS),
    );
    if (old.length === 0) return;
    this.asking = true;
    this.queriedAtMs = nowMs;
    void this.askFor(old).finally(() => (this.asking = false));
  }

  /** Each id is returned once. */
  takeKnown(): string[] {
    return this.known.splice(0);
  }

  /** Older than MAX_AGE_MS or beyond MAX_WAITING; each id is returned once. */
  takeOverdue(): string[] {
    const oldestMs = performance.now() - MAX_AGE_MS;
    const tooMany = this.waiting.length - MAX_WAITING;
    const overdue = this.countOf(({ atMs }, place) => atMs < oldestMs || place < tooMany);
    return this.waiting.splice(0, overdue).map(({ id }) => id);
  }

  takeAll(): string[] {
    return this.waiting.splice(0).map(({ id }) => id);
  }

  /** Length of the leading run for which it is true. */
  private countOf(isTrue: (event: Published, place: number) => boolean): number {
    let count = 0;
    for (const event of this.waiting) {
      if (!isTrue(event, count)) break;
      count++;
    }
    return count;
  }

  private async askFor(published: readonly Published[]): Promise<void> {
    for (const [topic, members] of groupBy(published, (event) => event.topic)) {
      for (let place = 0; place < members.length; place += MAX_IDS) {
        const ids = members.slice(place, place + MAX_IDS).map(({ id }) => id);
        const answer = await this.unknown(topic, ids).catch(() => null);
        // A consumer is unavailable: its topic is asked again next time.
        if (answer === null) break;
        const unknown = new Set(answer);
        const known = new Set(ids.filter((id) => !unknown.has(id)));
        this.waiting = this.waiting.filter(({ id }) => !known.has(id));
        this.known.push(...known);
      }
    }
  }
}

/** More than this and a whole look costs less than asking for each. */
const MAX_GAPS = 2_000;

/**
 * Which positions of an outbox were seen: all up to the newest, but for the gaps. A gap is the position of a transaction
 * that has not ended, or that was rolled back; the first is filled some day, the second never.
 */
export class OutboxPositions {
  private readonly open = new Set<number>();
  private watched: { positions: number[]; writers: readonly string[]; haveEnded: boolean } | null = null;

  /** Everything up to `newest` was seen. */
  constructor(public newest: number) {}

  get size(): number {
    return this.open.size;
  }

  positions(): number[] {
    return [...this.open];
  }

  get isWatched(): boolean {
    return this.watched !== null;
  }

  get watchedWriters(): readonly string[] {
    return this.watched?.writers ?? [];
  }

  /** `writers` are under way now: each gap of now is one of theirs, or nobody's. */
  watch(writers: readonly string[]): void {
    this.watched = { positions: this.positions(), writers, haveEnded: false };
  }

  /** They have ended: the next look sees what they committed, and the rest of those gaps will never be filled. */
  closeAfterNextLook(): void {
    if (this.watched) this.watched.haveEnded = true;
  }

  /** What one look found, in rising order. False when there are more gaps than are worth following. */
  see(positions: readonly number[]): boolean {
    for (const position of positions) {
      if (position - this.newest > MAX_GAPS) return false;
      while (this.newest < position) this.open.add(++this.newest);
      this.open.delete(position);
    }
    if (this.watched?.haveEnded) {
      for (const position of this.watched.positions) this.open.delete(position);
      this.watched = null;
    }
    return this.open.size <= MAX_GAPS;
  }
}

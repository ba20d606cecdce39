/** Above this a full scan is cheaper. */
const MAX_GAPS = 2_000;

/**
 * The positions that were read: all up to the newest, except the gaps. A gap belongs to a transaction that is open or
 * was rolled back.
 */
export class OutboxPositions {
  private readonly open = new Set<number>();
  private watched: { positions: number[]; writers: readonly string[]; haveEnded: boolean } | null = null;

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

  /** `writers` are the open transactions: every current gap belongs to one of them or was rolled back. */
  watch(writers: readonly string[]): void {
    this.watched = { positions: this.positions(), writers, haveEnded: false };
  }

  /** The watched writers have ended: gaps that the next read does not fill stay empty. */
  closeAfterNextRead(): void {
    if (this.watched) this.watched.haveEnded = true;
  }

  /** Takes the positions of one read, ascending. False when there are too many gaps. */
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

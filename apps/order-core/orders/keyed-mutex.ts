/**
 * Lets changes of one thing take turns within this process, so that they do not undo each other's work. It promises
 * nothing beyond that: between processes the database decides, and the loser looks again.
 */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(key) ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => undefined);
    this.last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }
}

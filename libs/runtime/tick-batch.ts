let presentTick: Promise<void> | null = null;

/** Resolves for all callers of this tick together, so that their messages on one connection share one write. */
export function endOfTick(): Promise<void> {
  presentTick ??= new Promise((resolve) => {
    setImmediate(() => {
      presentTick = null;
      resolve();
    });
  });
  return presentTick;
}

const LONGEST_MS = 2;

/** The time that a long loop may take of one tick: `if (time.isUsedUp()) await time.renew();` after each step. */
export class TickTime {
  private endsAtMs = performance.now() + LONGEST_MS;

  isUsedUp(): boolean {
    return performance.now() >= this.endsAtMs;
  }

  /** Resolves when the event loop has handled what waited. */
  async renew(): Promise<void> {
    await endOfTick();
    this.endsAtMs = performance.now() + LONGEST_MS;
  }
}

/**
 * A pause that can be cut short. A ring that comes while nobody pauses cuts the next pause short, so that none is
 * missed between looking for work and waiting for it.
 */
export class WakeSignal {
  private woken = false;
  private endPause: (() => void) | null = null;

  wake(): void {
    this.woken = true;
    this.endPause?.();
  }

  /** Resolves at the ring or after the time, whichever comes first. */
  async pause(timeoutMs: number): Promise<void> {
    if (!this.woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.endPause = null;
    this.woken = false;
  }
}

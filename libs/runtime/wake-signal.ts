/**
 * A wake outside a pause ends the next pause at once, so that no wake is missed between checking for work and waiting.
 */
export class WakeSignal {
  private woken = false;
  private endPause: (() => void) | null = null;

  wake(): void {
    this.woken = true;
    this.endPause?.();
  }

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

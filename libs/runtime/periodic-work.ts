import { errorFields, log } from './log';
import { periodicWorkFailures } from './metrics';

/** Never runs concurrently; a failure is logged and retried. */
export class PeriodicWork {
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  private readonly wakeSignal = new WakeSignal();

  constructor(
    private readonly name: string,
    private readonly pauseMs: number,
    /** Long work asks between its steps whether it has to end. */
    private readonly work: (isStopped: () => boolean) => Promise<unknown>,
  ) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeSignal.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.work(() => this.stopped);
      } catch (error) {
        periodicWorkFailures.inc({ work: this.name });
        log.warn({ work: this.name, ...errorFields(error) }, 'periodic work failed');
      }
      if (!this.stopped) await this.wakeSignal.pause(this.pauseMs);
    }
  }
}

/**
 * A wake outside a pause ends the next pause early, so that no wake is missed between checking for work and waiting.
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

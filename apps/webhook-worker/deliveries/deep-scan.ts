import type { Sql } from '@offizin/pg/database';
import { WakeSignal } from '@offizin/runtime/wake-signal';
import { errorFields, log } from '@offizin/runtime/log';
import { crowdedSubscriptions } from './claims.store';

/**
 * Due rows that a claim looks at per endpoint: a few at first, and many where it found less than it wanted and more than
 * those few are due: they belong to long lines whose heads are in flight or wait for a retry, and hide what stands
 * behind them. With the many for all, 1,000 endpoints that nobody rang for were claimed for 16 by 16.
 */
export const BRIEF_SCAN_ROWS = 500;
export const DEEP_SCAN_ROWS = 20_000;
const ENDPOINTS_PER_LOOK = 16;
const ENDPOINTS_PER_QUESTION = 100;

/** Those that come short within this time are asked about together. */
const PACE_MS = 25;
/** A far look that takes long is followed by a longer pause: looking takes a third of the time at most. */
const PAUSE_PER_LOOK = 2;
const MAX_PAUSE_MS = 1_000;
const IDLE_MS = 1_000;

/** Claims once more for endpoints whose brief look came short, where long lines stand in the way. */
export class DeepScan {
  private readonly cameShort = new Set<string>();
  private readonly wakeSignal = new WakeSignal();
  /** Rings at the stop only: whoever comes short cuts no pause short. */
  private readonly ending = new WakeSignal();
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly sql: Sql,
    private readonly look: (subscriptionIds: string[], rows: number) => Promise<void>,
  ) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeSignal.wake();
    this.ending.wake();
    await this.running;
  }

  add(subscriptionId: string): void {
    this.cameShort.add(subscriptionId);
    if (this.cameShort.size === 1) this.wakeSignal.wake();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      if (this.cameShort.size === 0) {
        await this.wakeSignal.pause(IDLE_MS);
        continue;
      }
      await this.ending.pause(PACE_MS);
      const startedAtMs = performance.now();
      await this.lookFor(this.takeSome()).catch((error: unknown) =>
        log.warn(errorFields(error), 'far look failed: the sweep comes back to it'),
      );
      const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_PER_LOOK * (performance.now() - startedAtMs));
      if (!this.stopped) await this.ending.pause(pauseMs);
    }
  }

  private async lookFor(ids: string[]): Promise<void> {
    const crowded = await crowdedSubscriptions(this.sql, ids, BRIEF_SCAN_ROWS);
    for (let at = 0; at < crowded.length && !this.stopped; at += ENDPOINTS_PER_LOOK)
      await this.look(crowded.slice(at, at + ENDPOINTS_PER_LOOK), DEEP_SCAN_ROWS);
  }

  private takeSome(): string[] {
    const ids = [...this.cameShort].slice(0, ENDPOINTS_PER_QUESTION);
    for (const id of ids) this.cameShort.delete(id);
    return ids;
  }
}

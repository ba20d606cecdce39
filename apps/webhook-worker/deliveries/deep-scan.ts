import type { Sql } from '@offizin/pg/database';
import { WakeSignal } from '@offizin/runtime/periodic-work';
import { errorFields, log } from '@offizin/runtime/log';
import { crowdedSubscriptions } from './leases.store';

/**
 * Due rows that a lease statement scans per endpoint. A brief scan that finds too little may be stuck in long queues
 * whose heads are in flight or wait for a retry; a deep scan then reads past them. Deep scans for all endpoints would
 * be too slow.
 */
export const BRIEF_SCAN_ROWS = 500;
export const DEEP_SCAN_ROWS = 20_000;
const ENDPOINTS_PER_SCAN = 16;
const ENDPOINTS_PER_CHECK = 100;

/** Endpoints added within this time are checked together. */
const PACE_MS = 25;
/** Pause after a scan, as a multiple of its duration: scans take a third of the time at most. */
const PAUSE_PER_SCAN = 2;
const MAX_PAUSE_MS = 1_000;
const IDLE_MS = 1_000;

/** Leases again, deeper, for endpoints where a brief scan found too little and more deliveries are due. */
export class DeepScan {
  private readonly cameShort = new Set<string>();
  private readonly wakeSignal = new WakeSignal();
  /** Wakes at the stop only: an added endpoint does not shorten the pauses. */
  private readonly ending = new WakeSignal();
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly sql: Sql,
    private readonly lease: (subscriptionIds: string[], rows: number) => Promise<void>,
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
        log.warn(errorFields(error), 'deep scan failed: a later sweep retries'),
      );
      const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_PER_SCAN * (performance.now() - startedAtMs));
      if (!this.stopped) await this.ending.pause(pauseMs);
    }
  }

  private async lookFor(ids: string[]): Promise<void> {
    const crowded = await crowdedSubscriptions(this.sql, ids, BRIEF_SCAN_ROWS);
    for (let at = 0; at < crowded.length && !this.stopped; at += ENDPOINTS_PER_SCAN)
      await this.lease(crowded.slice(at, at + ENDPOINTS_PER_SCAN), DEEP_SCAN_ROWS);
  }

  private takeSome(): string[] {
    const ids = [...this.cameShort].slice(0, ENDPOINTS_PER_CHECK);
    for (const id of ids) this.cameShort.delete(id);
    return ids;
  }
}

import type { Database } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { cancelPendingOfInactive } from '../deliveries/switch-off.store';
import { deleteOldRows } from './retention.store';

const PAUSE_MS = 60_000;
/** Small batches with pauses, so that deliveries are not delayed. */
const BATCH_ROWS = 500;
const BATCH_PAUSE_MS = 50;

/** Deletes expired rows and cancels deliveries left pending by an interrupted switch-off. Safe in several replicas. */
export class Retention {
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  private endPause: () => void = () => undefined;

  constructor(private readonly database: Database) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.endPause();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await cancelPendingOfInactive(this.database);
        while (!this.stopped && (await deleteOldRows(this.database, BATCH_ROWS)) === BATCH_ROWS) {
          await this.pause(BATCH_PAUSE_MS);
        }
      } catch (error) {
        log.warn(errorFields(error), 'retention failed: retrying in a minute');
      }
      if (!this.stopped) await this.pause(PAUSE_MS);
    }
  }

  private async pause(pauseMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

import type { DisabledReason } from '@offizin/contracts/webhooks/webhooks';
import type { Database } from '@offizin/pg/database';
import { isRefusedData } from '@offizin/pg/database-failures';
import { errorFields, log } from '@offizin/runtime/log';
import type { Attempted } from './attempt';
import { refusedRows, subscriptionsSwitchedOff } from './attempt-report';
import type { LeasedDelivery } from './leases.store';
import {
  type AttemptResult,
  giveUpDelivery,
  noteHealth,
  writeResults,
  type WrittenDelivery,
} from './results.store';
import { cancelPending, switchOff } from './switch-off.store';

/**
 * Writes results in bulk: results that arrive while one statement runs go into the next. Results wait for the pace,
 * never for a full batch. They stay in memory while the database is unavailable; one whose lease has ended by then is
 * discarded.
 */
export interface ResultWriterOptions {
  database: Database;
  /** A batch is written; in these subscriptions, deliveries waited behind it in their queues. */
  onWritten: (withSuccessors: Set<string>) => void;
  onSwitchedOff: () => void;
}

export type Finished = Attempted & { delivery: LeasedDelivery };

const MAX_BATCH = 400;
/**
 * From the start of one statement to the start of the next, to save commits. The first result after an idle time is
 * written immediately.
 */
const PACE_MS = 5;
/** The same when at least BUSY_RESULTS wait: no sender then depends on a single result. */
const BUSY_PACE_MS = 15;
const BUSY_RESULTS = 32;
const RETRY_PAUSE_MS = 500;
/** Retries during shutdown while the database is unavailable; after that the leases run out. */
const DRAIN_ATTEMPTS = 4;

export class ResultWriter {
  private pending: Finished[] = [];
  private writing: Promise<void> | null = null;
  private attemptsLeft = Infinity;
  private lastWriteAtMs = 0;

  constructor(private readonly options: ResultWriterOptions) {}

  /** Number of unwritten results. */
  get backlog(): number {
    return this.pending.length;
  }

  add(finished: Finished): void {
    this.pending.push(finished);
    this.writing ??= this.write().finally(() => (this.writing = null));
  }

  async drain(): Promise<void> {
    this.attemptsLeft = DRAIN_ATTEMPTS;
    await this.writing;
  }

  private async write(): Promise<void> {
    while (this.pending.length > 0 && this.attemptsLeft > 0) {
      await this.keepPace();
      const batch = this.pending.slice(0, MAX_BATCH);
      try {
        const withSuccessors = await this.writeBatch(batch);
        this.pending.splice(0, batch.length);
        this.options.onWritten(withSuccessors);
      } catch (error) {
        this.attemptsLeft -= 1;
        log.warn({ results: this.pending.length, ...errorFields(error) }, 'results not written yet');
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      }
    }
  }

  private async keepPace(): Promise<void> {
    await untilTime(this.lastWriteAtMs + PACE_MS);
    const { length } = this.pending;
    if (length >= BUSY_RESULTS && length < MAX_BATCH) await untilTime(this.lastWriteAtMs + BUSY_PACE_MS);
    this.lastWriteAtMs = performance.now();
  }

  /** Returns the subscriptions in which deliveries wait behind the written ones. */
  private async writeBatch(batch: readonly Finished[]): Promise<Set<string>> {
    // Before the results are written: otherwise a receiver that answered 410 could get the next delivery of the queue.
    const gone = batch.filter(({ decision }) => decision === 'gone');
    for (const id of subscriptionsOf(gone)) await this.end(id, 'receiver_gone');
    const written = await this.writeHalves(batch.map(({ result }) => result));
    if (written.length < batch.length) reportLost(batch, new Set(written.map(({ id }) => id)));
    // The results are committed. A failure from here on is made up for by the next result.
    await this.noteHealth(batch).catch((error: unknown) =>
      log.warn(errorFields(error), 'endpoint health not recorded'),
    );
    const followed = written.filter((delivery) => delivery.has_successor);
    return new Set(followed.map((delivery) => delivery.subscription_id));
  }

  /** Splits a refused batch until the refused result is alone; its delivery fails. */
  private async writeHalves(results: readonly AttemptResult[]): Promise<WrittenDelivery[]> {
    const { database } = this.options;
    try {
      return await writeResults(database, results);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      const [first] = results;
      if (results.length > 1) {
        const middle = Math.ceil(results.length / 2);
        return [
          ...(await this.writeHalves(results.slice(0, middle))),
          ...(await this.writeHalves(results.slice(middle))),
        ];
      }
      if (!first || !(await giveUpDelivery(database, first))) return [];
      refusedRows.inc({ row: 'delivery' });
      log.error(
        { delivery_id: first.deliveryId, ...errorFields(error) },
        'result refused: the delivery has failed',
      );
      return [{ id: first.deliveryId, subscription_id: first.subscriptionId, has_successor: true }];
    }
  }

  private async noteHealth(batch: readonly Finished[]): Promise<void> {
    const { database } = this.options;
    // Without its event nothing was sent, which says nothing about the endpoint.
    const failed = batch.filter(
      ({ decision, result }) => decision !== 'succeeded' && result.failure !== 'event_gone',
    );
    const recovered = batch.filter(({ decision, delivery }) => decision === 'succeeded' && delivery.failing);
    const firstFailed = failed.filter(({ delivery }) => !delivery.failing);
    if (firstFailed.length > 0) await noteHealth(database, subscriptionsOf(firstFailed), true);
    if (recovered.length > 0) await noteHealth(database, subscriptionsOf(recovered), false);

    const tooLong = failed.filter(({ delivery }) => delivery.failing_too_long);
    for (const id of subscriptionsOf(tooLong)) await this.end(id, 'only_failures');
  }

  private async end(subscriptionId: string, reason: DisabledReason): Promise<void> {
    const { database, onSwitchedOff } = this.options;
    if (!(await switchOff(database, subscriptionId, reason))) {
      // Already off, or another process had a success in between.
      if (reason === 'only_failures') await noteHealth(database, [subscriptionId], false);
      return;
    }
    subscriptionsSwitchedOff.inc({ reason });
    onSwitchedOff();
    await cancelPending(database, subscriptionId);
  }
}

/** Waits until a time by performance.now(). */
async function untilTime(atMs: number): Promise<void> {
  const leftMs = atMs - performance.now();
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.ceil(leftMs)));
}

function subscriptionsOf(finished: readonly Finished[]): string[] {
  return [...new Set(finished.map(({ delivery }) => delivery.subscription_id))];
}

function reportLost(batch: readonly Finished[], written: ReadonlySet<string>): void {
  for (const { delivery, result } of batch) {
    if (written.has(delivery.id)) continue;
    const { id, subscription_id: subscription } = delivery;
    const line = { delivery_id: id, subscription_id: subscription, status: result.statusCode };
    log.warn(line, 'late result discarded: the lease was lost, or the delivery cancelled');
  }
}

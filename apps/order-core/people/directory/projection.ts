import { BucketWatch, type BusConnection, openBucket } from '@offizin/bus/key-value';
import {
  bucketKey,
  COMPLETE_KEY,
  DIRECTORY_BUCKET,
  encodeRecord,
  isBrokerAnswer,
} from '@offizin/directory/records';
import { BACKGROUND_TRANSACTION_MS, type Database } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { readDirectory } from './directory.store';

const COMPARE_MS = 30_000;
const REPAIR_PAUSE_MS = 1_000;

type Bucket = Awaited<ReturnType<typeof openBucket>>;

/**
 * Projects the directory from PostgreSQL into the broker's bucket after every change and when the broker reconnects. A
 * comparison every 30 s repairs a wiped bucket or a missed change. The completeness mark is written last. A database
 * lock serializes writers, so an older snapshot never overwrites a newer one.
 */
export class DirectoryProjection {
  /** Content of the bucket as text; a watch keeps it current. */
  private present = new Map<string, string>();
  private readonly watch: BucketWatch;
  private timer: NodeJS.Timeout | null = null;
  private repair: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private again = false;
  /** Keys that order-core did not write and cannot delete. */
  private foreign: string[] = [];

  constructor(
    private readonly database: Database,
    private readonly connection: BusConnection,
  ) {
    this.watch = new BucketWatch(connection, DIRECTORY_BUCKET, {
      begin: () => (this.present = new Map()),
      change: ({ key, value }) => {
        if (value) this.present.set(key, Buffer.from(value).toString());
        else this.present.delete(key);
        if (value && isBrokerAnswer(value)) this.repairSoon();
      },
      complete: () => void this.project(),
    });
  }

  async start(): Promise<void> {
    await this.project();
    this.watch.start();
    this.timer = setInterval(() => void this.project(), COMPARE_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    if (this.repair) clearTimeout(this.repair);
    this.watch.stop();
    await this.running;
  }

  /** For readiness: foreign keys in the bucket that cannot be deleted, or null. */
  notice(): Promise<string | null> {
    const [first] = this.foreign;
    if (first === undefined) return Promise.resolve(null);
    return Promise.resolve(`${this.foreign.length} keys cannot be deleted, such as ${first.slice(0, 100)}`);
  }

  /** Delayed: repeated overwrites by another sender cost at most one comparison per second. */
  private repairSoon(): void {
    this.repair ??= setTimeout(() => {
      this.repair = null;
      void this.project();
    }, REPAIR_PAUSE_MS);
  }

  /** Resolves when a projection that began after the call is done. Does not wait for an unavailable broker. */
  async project(): Promise<void> {
    if (this.running) {
      this.again = true;
      await this.running;
      return;
    }
    this.running = this.runUntilSettled();
    await this.running;
  }

  private async runUntilSettled(): Promise<void> {
    do {
      this.again = false;
      try {
        await this.database.transaction((tx) => this.write(readDirectory(tx)), BACKGROUND_TRANSACTION_MS);
      } catch (error) {
        log.warn(errorFields(error), 'directory not projected; the next comparison repairs it');
      }
    } while (this.again);
    this.running = null;
  }

  /** The client refuses to delete a key with an invalid name. Such a key must not stop the projection. */
  private async remove(bucket: Bucket, key: string): Promise<void> {
    try {
      await bucket.delete(key);
    } catch (error) {
      if (!isInvalidKey(key)) throw error;
      this.foreign.push(key);
      log.error(
        { key: key.slice(0, 100), ...errorFields(error) },
        'foreign key in the directory not deleted',
      );
    }
  }

  private async write(reading: ReturnType<typeof readDirectory>): Promise<void> {
    const records = await reading;
    const { present } = this;
    const bucket = await openBucket(this.connection, DIRECTORY_BUCKET);
    const wanted = new Map(
      records.map((record) => [bucketKey(record), Buffer.from(encodeRecord(record)).toString()]),
    );
    wanted.set(COMPLETE_KEY, JSON.stringify({ type: 'complete' }));
    this.foreign = [];
    for (const key of present.keys()) if (!wanted.has(key)) await this.remove(bucket, key);
    for (const [key, text] of wanted) {
      if (present.get(key) === text) continue;
      // The bucket was replaced: skipped records may be missing from it. The next run writes them.
      if (present !== this.present) return;
      await bucket.put(key, text);
      present.set(key, text);
    }
  }
}

/** The check of the client (nats 2.29, validateKey). */
function isInvalidKey(key: string): boolean {
  return !/^[-/=.\w]+$/.test(key) || key.startsWith('.') || key.endsWith('.');
}

import { BucketWatch, type BusConnection, type KeyValueChange, openBucket } from '@offizin/bus/key-value';
import {
  COMPLETE_KEY,
  decodeRecord,
  DIRECTORY_BUCKET,
  encodeRecord,
  isBrokerAnswer,
} from '@offizin/directory/records';
import { BACKGROUND_TRANSACTION_MS, type Database } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { BucketContent } from './bucket-content';
import { type ChangedRecord, readHashes, readRecords, readSums } from './records.store';

const COMPARE_MS = 30_000;
const REPAIR_PAUSE_MS = 1_000;
/** Of 256. The keys of these parts are compared in one step, which blocks the event loop. */
const PARTS_AT_ONCE = 8;
/** In one transaction. A revocation waits for one transaction at most, also while an empty bucket is filled. */
const RECORDS_AT_ONCE = 250;
/** Encoding more in one go would block the event loop for too long. */
const WRITES_AT_ONCE = 50;

type Bucket = Awaited<ReturnType<typeof openBucket>>;

/**
 * Projects the directory from PostgreSQL into the broker's bucket. A change writes the records that it names. When the
 * watch has read the bucket, and then every 30 s, checksums find what else differs: of a wiped bucket, everything. The
 * completeness mark is written last. A database lock serializes writers, so an older record never overwrites a newer
 * one.
 */
export class DirectoryProjection {
  private content = new BucketContent();
  /** The watch has reported all of the content. */
  private isRead = false;
  private isMarkedComplete = false;
  private readonly changed = new Set<string>();
  private readonly writing = new Turns(() => this.writeChanged());
  private readonly comparing = new Turns(() => this.repair().catch(warn));
  private readonly watch: BucketWatch;
  private timer: NodeJS.Timeout | null = null;
  private repairTimer: NodeJS.Timeout | null = null;
  private readonly spoilt = new Set<string>();
  /** Keys that order-core did not write and cannot delete. */
  private readonly foreign = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly connection: BusConnection,
  ) {
    this.watch = new BucketWatch(connection, DIRECTORY_BUCKET, {
      begin: () => {
        this.content = new BucketContent();
        this.isRead = false;
        this.isMarkedComplete = false;
      },
      change: (change) => this.take(change),
      complete: () => {
        this.isRead = true;
        void this.compare();
      },
      // Readers cannot make the bucket.
      missing: () => void this.compare(),
    });
  }

  /** Does not wait for an unavailable broker. */
  async start(): Promise<void> {
    await openBucket(this.connection, DIRECTORY_BUCKET).catch(warn);
    this.watch.start();
    this.timer = setInterval(() => void this.compare(), COMPARE_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    if (this.repairTimer) clearTimeout(this.repairTimer);
    this.watch.stop();
    this.isRead = false;
    await Promise.all([this.writing.last, this.comparing.last]);
  }

  /** For readiness: foreign keys in the bucket that cannot be deleted, or null. */
  notice(): Promise<string | null> {
    const [first] = this.foreign;
    if (first === undefined) return Promise.resolve(null);
    return Promise.resolve(`${this.foreign.size} keys cannot be deleted, such as ${first.slice(0, 100)}`);
  }

  /** Resolves when the bucket holds these records as they were at the call, or the next comparison has to repair it. */
  project(...records: ChangedRecord[]): Promise<void> {
    // An id of a path may be in capitals.
    for (const key of records) this.changed.add(key.toLowerCase());
    return this.writing.run();
  }

  /** Resolves when a comparison that began after the call has written what differs. */
  compare(): Promise<void> {
    return this.comparing.run();
  }

  private take({ key, value }: KeyValueChange): void {
    if (key === COMPLETE_KEY) this.isMarkedComplete = value !== null && 'type' in decodeRecord(key, value);
    else if (value) this.content.set(key, value);
    else this.content.delete(key);
    if (value && isBrokerAnswer(value)) this.repairSoon(key);
  }

  /** Delayed: repeated overwrites by another sender cost at most one repair per second. */
  private repairSoon(key: string): void {
    this.spoilt.add(key);
    this.repairTimer ??= setTimeout(() => {
      this.repairTimer = null;
      for (const spoiltKey of this.spoilt) this.changed.add(spoiltKey);
      this.spoilt.clear();
      void this.writing.run();
      if (!this.isMarkedComplete) void this.compare();
    }, REPAIR_PAUSE_MS);
  }

  private async writeChanged(): Promise<void> {
    const keys = [...this.changed].filter((key) => key !== COMPLETE_KEY);
    this.changed.clear();
    for (const some of chunks(keys, RECORDS_AT_ONCE)) await this.write(some, { always: true }).catch(warn);
  }

  private async repair(): Promise<void> {
    // Also makes a missing bucket, which the watch then finds.
    const bucket = await openBucket(this.connection, DIRECTORY_BUCKET);
    const { content } = this;
    const isValid = (): boolean => this.isRead && this.content === content;
    if (!isValid() || !(await this.watch.isCurrent())) return;
    this.foreign.clear();
    const different = content.differentParts(await readSums(this.database));
    for (const parts of chunks(different, PARTS_AT_ONCE)) {
      const keys = content.differentKeys(parts, await readHashes(this.database, parts));
      for (const some of chunks(keys, RECORDS_AT_ONCE)) {
        if (!isValid()) return;
        await this.write(some, { always: false });
      }
    }
    // Otherwise the records that were not written may be missing from a bucket that replaced this one.
    if (this.isMarkedComplete || !(await this.watch.isCurrent()) || !isValid()) return;
    await bucket.put(COMPLETE_KEY, encodeRecord({ type: 'complete' }));
  }

  /**
   * `always`: the watch may lag behind a change by another replica, so what it reported does not count for keys that a
   * change names.
   */
  private async write(keys: readonly string[], { always }: { always: boolean }): Promise<void> {
    const bucket = await openBucket(this.connection, DIRECTORY_BUCKET);
    const named = new Set(keys);
    await this.database.transaction(async (tx) => {
      const records = [...(await readRecords(tx, keys))].filter(
        ([key, text]) => (named.has(key) ? always : text === null) || !this.content.holds(key, text),
      );
      const revoked = records.flatMap(([key, text]) => (text === null ? [key] : []));
      const live = records.flatMap(([key, text]) => (text === null ? [] : [{ key, text }]));
      for (const some of chunks(revoked, WRITES_AT_ONCE))
        await Promise.all(some.map((key) => this.remove(bucket, key)));
      for (const some of chunks(live, WRITES_AT_ONCE))
        await Promise.all(some.map(({ key, text }) => bucket.put(key, text)));
    }, BACKGROUND_TRANSACTION_MS);
  }

  /** The client refuses to delete a key with an invalid name. Such a key must not stop the projection. */
  private async remove(bucket: Bucket, key: string): Promise<void> {
    try {
      await bucket.delete(key);
    } catch (error) {
      if (!isInvalidKey(key)) throw error;
      this.foreign.add(key);
      log.error(
        { key: key.slice(0, 100), ...errorFields(error) },
        'foreign key in the directory not deleted',
      );
    }
  }
}

/** Runs work one at a time. Calls during a run share the next one. */
class Turns {
  last: Promise<void> = Promise.resolve();
  private next: Promise<void> | null = null;

  /** `work` never rejects. */
  constructor(private readonly work: () => Promise<void>) {}

  run(): Promise<void> {
    this.next ??= this.last = this.last.then(() => {
      this.next = null;
      return this.work();
    });
    return this.next;
  }
}

function warn(error: unknown): void {
  log.warn(errorFields(error), 'directory not projected; the next comparison repairs it');
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** The check of the client (nats 2.29, validateKey). */
function isInvalidKey(key: string): boolean {
  return !/^[-/=.\w]+$/.test(key) || key.startsWith('.') || key.endsWith('.');
}

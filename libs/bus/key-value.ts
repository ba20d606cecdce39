import { Events, type KV, type KvEntry, type NatsConnection, NatsError } from 'nats';
import { errorFields, log } from '@offizin/runtime/log';
import { TickTime } from '@offizin/runtime/tick-batch';
import { matchReplicas, streamReplicasAt } from './connection';

const RETRY_PAUSE_MS = 500;
/** The client does not report that a watched bucket was deleted, so its creation time is compared. */
const COMPARE_MS = 2_000;

/** Lets other packages name the type without importing the client. */
export type BusConnection = NatsConnection;

/** `value` is null when the key was deleted. */
export interface KeyValueChange {
  key: string;
  value: Uint8Array | null;
}

/** Creates the bucket if missing, also after the broker's store was wiped. */
export async function openBucket(connection: NatsConnection, bucket: string): Promise<KV> {
  const replicas = streamReplicasAt(connection);
  const opened = await connection.jetstream({ timeout: 5_000 }).views.kv(bucket, { history: 1, replicas });
  await matchReplicas(connection, `KV_${bucket}`);
  return opened;
}

/** Distinguishes the bucket from a later one of the same name. Throws if it is missing. */
async function birthOf(connection: NatsConnection, bucket: string): Promise<string> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  return (await manager.streams.info(`KV_${bucket}`)).created;
}

function isMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.code === 404;
}

export interface WatchHandlers {
  /** Keys that are not reported until `complete` have been deleted. */
  begin: () => void;
  change: (change: KeyValueChange) => void;
  complete: () => void;
  confirm?: () => void;
  /** Of the bucket; again and again until it is there. */
  missing?: () => void;
}

/**
 * A snapshot, then every change. After a reconnect, or when the bucket was replaced, a new snapshot begins; the reader
 * keeps its data meanwhile. A burst of changes is handed over in pieces, between which the event loop runs.
 */
export class BucketWatch {
  private stopped = false;
  private stopWatch: (() => void) | null = null;
  /** Of the bucket that is followed. */
  private birth: string | null = null;

  constructor(
    private readonly connection: NatsConnection,
    private readonly bucket: string,
    private readonly handlers: WatchHandlers,
  ) {}

  start(): void {
    void this.run();
    void this.startOverOnReconnect();
  }

  stop(): void {
    this.stopped = true;
    this.stopWatch?.();
  }

  startOver(): void {
    this.stopWatch?.();
  }

  /** False when the bucket was replaced and its new content is not reported yet. Throws if it is missing. */
  async isCurrent(): Promise<boolean> {
    return (await birthOf(this.connection, this.bucket)) === this.birth;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.follow();
      } catch (error) {
        if (this.stopped) return;
        const level = isMissing(error) ? 'debug' : 'warn';
        if (isMissing(error)) this.handlers.missing?.();
        log[level]({ bucket: this.bucket, ...errorFields(error) }, 'watch starts over');
      }
      if (!this.stopped) await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  }

  private async follow(): Promise<void> {
    const birth = await birthOf(this.connection, this.bucket);
    // Readers may not create buckets.
    const bucket = await this.connection
      .jetstream({ timeout: 5_000 })
      .views.kv(this.bucket, { bindOnly: true });
    const { values } = await bucket.status();
    this.birth = birth;
    this.handlers.begin();
    const snapshot = { hasArrived: false, isReported: false };
    const complete = (): void => {
      if (!snapshot.isReported) this.handlers.complete();
      snapshot.isReported = true;
    };
    if (values === 0) complete();
    // The client may announce the end of the snapshot before it returns the entries.
    let onEnd = (): void => void (snapshot.hasArrived = true);
    const entries = await bucket.watch({ initializedFn: () => onEnd() });
    onEnd = complete;
    let queued = snapshot.hasArrived ? entries.getPending() : Number.POSITIVE_INFINITY;
    if (queued === 0) complete();
    this.stopWatch = () => entries.stop();
    if (this.stopped) entries.stop();
    const comparing = setInterval(() => void this.compare(birth), COMPARE_MS);
    const time = new TickTime();
    try {
      for await (const entry of entries) {
        this.handOver(changeOf(entry));
        if (--queued === 0) complete();
        if (time.isUsedUp()) await time.renew();
      }
    } finally {
      clearInterval(comparing);
    }
  }

  /** A change that the reader cannot process must not end the watch of the other keys. */
  private handOver(change: KeyValueChange): void {
    try {
      this.handlers.change(change);
    } catch (error) {
      log.error(
        { bucket: this.bucket, key: change.key.slice(0, 100), ...errorFields(error) },
        'bucket change not processed',
      );
    }
  }

  /** Starts over when the bucket was replaced. While the broker is unavailable, the watch goes on. */
  private async compare(birth: string): Promise<void> {
    try {
      if ((await birthOf(this.connection, this.bucket)) === birth) {
        this.handlers.confirm?.();
        return;
      }
    } catch (error) {
      if (!isMissing(error)) return;
    }
    this.startOver();
  }

  private async startOverOnReconnect(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (this.stopped) return;
      if (status.type === Events.Reconnect) this.startOver();
    }
  }
}

function changeOf(entry: KvEntry): KeyValueChange {
  return { key: entry.key, value: entry.operation === 'PUT' ? entry.value : null };
}

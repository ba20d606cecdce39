import { Events, type KV, type KvEntry, type NatsConnection, NatsError } from 'nats';
import { errorFields, log } from '@offizin/runtime/log';
import { streamReplicasAt } from './connection';
import { matchReplicas } from './jetstream';

const RETRY_PAUSE_MS = 500;
/** The client does not tell when a bucket is deleted under a watch, so its identity is compared. */
const COMPARE_MS = 2_000;

/** The connection; others name its type without importing the client. */
export type BusConnection = NatsConnection;

/** One change of a watched bucket; `value` is null when the key was deleted. */
export interface KeyValueChange {
  key: string;
  value: Uint8Array | null;
}

/** Opens a bucket to write to; makes it when it is missing (also after the broker's store was wiped). */
export async function openBucket(connection: NatsConnection, bucket: string): Promise<KV> {
  const replicas = streamReplicasAt(connection);
  const opened = await connection.jetstream({ timeout: 5_000 }).views.kv(bucket, { history: 1, replicas });
  await matchReplicas(connection, `KV_${bucket}`);
  return opened;
}

/** When the bucket was made, which tells it from one of the same name made later; throws when there is none. */
async function birthOf(connection: NatsConnection, bucket: string): Promise<string> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  return (await manager.streams.info(`KV_${bucket}`)).created;
}

function isMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.code === 404;
}

export interface WatchHandlers {
  /** A snapshot begins: what is not named until `complete` is gone. */
  begin: () => void;
  change: (change: KeyValueChange) => void;
  /** All that the bucket held when the watch began has been handed over. */
  complete: () => void;
  /** The broker was asked just now, and the bucket is still the one that is watched. */
  confirm?: () => void;
}

/**
 * Follows a bucket for ever: a snapshot first, then every change. Whenever the connection came back or the bucket was
 * replaced, a new snapshot begins; meanwhile the reader keeps what it has.
 */
export class BucketWatch {
  private stopped = false;
  private stopWatch: (() => void) | null = null;

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

  /** Ends the present watch; the loop begins a new one with a fresh snapshot. */
  startOver(): void {
    this.stopWatch?.();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.follow();
      } catch (error) {
        if (this.stopped) return;
        const level = isMissing(error) ? 'debug' : 'warn';
        log[level]({ bucket: this.bucket, ...errorFields(error) }, 'watch starts over');
      }
      if (!this.stopped) await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  }

  private async follow(): Promise<void> {
    const birth = await birthOf(this.connection, this.bucket);
    // Readers have no right to make a bucket.
    const bucket = await this.connection
      .jetstream({ timeout: 5_000 })
      .views.kv(this.bucket, { bindOnly: true });
    const { values } = await bucket.status();
    this.handlers.begin();
    if (values === 0) this.handlers.complete();
    const entries = await bucket.watch({ initializedFn: () => this.handlers.complete() });
    this.stopWatch = () => entries.stop();
    if (this.stopped) entries.stop();
    const comparing = setInterval(() => void this.compare(birth), COMPARE_MS);
    try {
      for await (const entry of entries) this.handOver(changeOf(entry));
    } finally {
      clearInterval(comparing);
    }
  }

  /** One change that the reader cannot take must not end the watch: no other key would be followed any more. */
  private handOver(change: KeyValueChange): void {
    try {
      this.handlers.change(change);
    } catch (error) {
      log.error(
        { bucket: this.bucket, key: change.key.slice(0, 100), ...errorFields(error) },
        'change not taken',
      );
    }
  }

  /** Starts over when the bucket is not the one that is watched any more; a broker that is away tells nothing. */
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

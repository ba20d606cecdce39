import { type KV, type KvEntry, type NatsConnection, NatsError } from 'nats';
import { errorFields, log } from '@offizin/runtime/log';

const RETRY_PAUSE_MS = 500;

/** The connection; others name its type without importing the client. */
export type BusConnection = NatsConnection;

/** One change of a watched bucket; `value` is null when the key was deleted. */
export interface KeyValueChange {
  key: string;
  value: Uint8Array | null;
}

/** Opens a bucket to write to; makes it when it is missing (also after the broker's store was wiped). */
export async function openBucket(connection: NatsConnection, bucket: string): Promise<KV> {
  return connection.jetstream({ timeout: 5_000 }).views.kv(bucket, { history: 1 });
}

/** Opens a bucket to read; throws when it does not exist yet. Readers have no right to make one. */
async function openExisting(connection: NatsConnection, bucket: string): Promise<KV> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  await manager.streams.info(`KV_${bucket}`);
  return connection.jetstream({ timeout: 5_000 }).views.kv(bucket, { bindOnly: true });
}

export interface WatchHandlers {
  /** A snapshot begins: what is not named until `complete` is gone. */
  begin: () => void;
  change: (change: KeyValueChange) => void;
  /** All that the bucket held when the watch began has been handed over. */
  complete: () => void;
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
        const missing = error instanceof NatsError && error.api_error?.code === 404;
        log[missing ? 'debug' : 'warn']({ bucket: this.bucket, ...errorFields(error) }, 'watch starts over');
      }
      if (!this.stopped) await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  }

  private async follow(): Promise<void> {
    const bucket = await openExisting(this.connection, this.bucket);
    const { values } = await bucket.status();
    this.handlers.begin();
    if (values === 0) this.handlers.complete();
    const entries = await bucket.watch({ initializedFn: () => this.handlers.complete() });
    this.stopWatch = () => entries.stop();
    for await (const entry of entries) this.handlers.change(changeOf(entry));
  }

  private async startOverOnReconnect(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (this.stopped) return;
      if (status.type === 'reconnect') this.startOver();
    }
  }
}

function changeOf(entry: KvEntry): KeyValueChange {
  return { key: entry.key, value: entry.operation === 'PUT' ? entry.value : null };
}

import { randomUUID } from 'node:crypto';
import { errorFields, log } from '@offizin/runtime/log';
import type { BusConnection } from './key-value';

/**
 * Counts the replicas of an app by their heartbeats. While the bus is unavailable, and until every replica can be
 * received again, the count can only rise.
 */
export const HEARTBEAT_MS = 1_000;
export const HEARD_WITHIN_MS = 3_000;

const UUID_LENGTH = 36;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Presence {
  private readonly id = randomUUID();
  private readonly subject: string;
  private readonly tally: ReplicaTally;
  private timer: NodeJS.Timeout | null = null;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly connection: BusConnection,
    app: string,
  ) {
    this.subject = `presence.${app}`;
    this.tally = new ReplicaTally(this.id);
  }

  readonly replicas = (): number => this.tally.count;

  start(): void {
    const subscription = this.connection.subscribe(this.subject, {
      callback: (error, message) => {
        if (error) log.warn({ subject: this.subject, ...errorFields(error) }, 'presence subscription failed');
        else this.hear(message.data);
      },
    });
    this.unsubscribe = () => subscription.unsubscribe();
    this.timer = setInterval(() => this.say(), HEARTBEAT_MS);
    this.say();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    if (!this.connection.isClosed()) this.unsubscribe();
  }

  private hear(data: Uint8Array): void {
    const id = data.length === UUID_LENGTH ? Buffer.from(data).toString('latin1') : '';
    if (UUID.test(id)) this.tally.heard(id, performance.now());
    else log.warn({ subject: this.subject, bytes: data.length }, 'message without a replica id ignored');
  }

  private say(): void {
    if (!this.connection.isClosed()) this.connection.publish(this.subject, Buffer.from(this.id));
  }
}

/** The replica's own id returns over the bus, too, which shows that the bus is available. */
export class ReplicaTally {
  count = 1;
  private readonly heardAtMs = new Map<string, number>();
  /** Since when the own id has been received without a gap. */
  private connectedSinceMs: number | null = null;

  constructor(private readonly ownId: string) {}

  heard(id: string, nowMs: number): void {
    const ownBefore = this.heardAtMs.get(this.ownId);
    this.heardAtMs.set(id, nowMs);
    if (id === this.ownId) this.hearSelf(ownBefore, nowMs);
    else this.count = Math.max(this.count, this.present(nowMs));
  }

  private hearSelf(beforeMs: number | undefined, nowMs: number): void {
    const gap = beforeMs === undefined || nowMs - beforeMs > HEARD_WITHIN_MS;
    if (gap) this.connectedSinceMs = nowMs;
    const settled = this.connectedSinceMs !== null && nowMs - this.connectedSinceMs >= HEARD_WITHIN_MS;
    const present = this.present(nowMs);
    this.count = settled ? present : Math.max(this.count, present);
    for (const [id, atMs] of this.heardAtMs) if (nowMs - atMs > HEARD_WITHIN_MS) this.heardAtMs.delete(id);
  }

  private present(nowMs: number): number {
    return [...this.heardAtMs.values()].filter((atMs) => nowMs - atMs <= HEARD_WITHIN_MS).length;
  }
}

import { randomUUID } from 'node:crypto';
import { errorFields, log } from '@offizin/runtime/log';
import type { BusConnection } from './key-value';

/**
 * Replicas of an app send heartbeats. An edge counts its own by them: while the bus is unavailable, and until every
 * replica can be received again, the count can only rise.
 */
export const HEARTBEAT_MS = 1_000;
export const HEARD_WITHIN_MS = 3_000;

const UUID_LENGTH = 36;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Publishes the heartbeats of a replica, the first one immediately, until the returned function is called. */
export function sendHeartbeats(connection: BusConnection, app: string, id: string): () => void {
  const send = (): void => {
    if (!connection.isClosed()) connection.publish(subjectOf(app), Buffer.from(id));
  };
  send();
  const timer = setInterval(send, HEARTBEAT_MS);
  return () => clearInterval(timer);
}

/** Calls `onHeartbeat` with the replica of each heartbeat, until the returned function is called. */
export function receiveHeartbeats(
  connection: BusConnection,
  app: string,
  onHeartbeat: (id: string) => void,
): () => void {
  const subject = subjectOf(app);
  const subscription = connection.subscribe(subject, {
    callback: (error, { data }) => {
      const id = !error && data.length === UUID_LENGTH ? Buffer.from(data).toString('latin1') : '';
      if (error) log.warn({ subject, ...errorFields(error) }, 'presence subscription failed');
      else if (UUID.test(id)) onHeartbeat(id);
      else log.warn({ subject, bytes: data.length }, 'message without a replica id ignored');
    },
  });
  return () => {
    if (!connection.isClosed()) subscription.unsubscribe();
  };
}

function subjectOf(app: string): string {
  return `presence.${app}`;
}

export class Presence {
  private readonly id = randomUUID();
  private readonly tally = new ReplicaTally(this.id);
  private ends: readonly (() => void)[] = [];

  constructor(
    private readonly connection: BusConnection,
    private readonly app: string,
  ) {}

  readonly replicas = (): number => this.tally.count;

  start(): void {
    const { connection, app, id, tally } = this;
    this.ends = [
      receiveHeartbeats(connection, app, (other) => tally.noteAlive(other, performance.now())),
      sendHeartbeats(connection, app, id),
    ];
  }

  stop(): void {
    for (const end of this.ends) end();
  }
}

/** The replica's own id returns over the bus, too, which shows that the bus is available. */
export class ReplicaTally {
  count = 1;
  private readonly heardAtMs = new Map<string, number>();
  /** Since when the own id has been received without a gap. */
  private connectedSinceMs: number | null = null;

  constructor(private readonly ownId: string) {}

  noteAlive(id: string, nowMs: number): void {
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

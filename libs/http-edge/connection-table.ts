import { deadBytes } from '@offizin/http-body/body-buffers';
import type { Connection } from './connection';
import { closedConnections, type ClosedFor, openConnections } from './edge-metrics';
import { networkOf } from './network-of';
import { RateLimiter } from './rate-limiter';
import type { TrustedProxies } from './trusted-proxies';

export interface ConnectionLimits {
  /** Per process. */
  maxConnections: number;
  /** Per address that is not a trusted proxy. */
  maxConnectionsPerAddress: number;
}

/** Pipelined requests are cheap to send, and common client libraries do not pipeline (decision 0028). */
const PIPELINED = { perSecond: 100, burst: 200 };

const BYTES_OF_A_CONNECTION = 16 * 1024;

type Group = Set<Connection>;

/**
 * At a limit a new connection replaces an idle or stalled one, so callers behind one address do not lock each other out
 * (decision 0028).
 */
export class ConnectionTable {
  private readonly groups = new Map<string, Group>();
  private readonly addresses = new Map<Connection, string>();
  private readonly pipelined = new RateLimiter(PIPELINED);

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly trusted: TrustedProxies,
  ) {}

  admit(connection: Connection): boolean {
    const { remoteAddress } = connection.socket;
    // The socket is already closed.
    if (remoteAddress === undefined) return false;
    const address = networkOf(remoteAddress);
    const own = this.groups.get(address) ?? new Set();
    const { maxConnections, maxConnectionsPerAddress } = this.limits;
    const isFull = own.size >= maxConnectionsPerAddress && !this.trusted.has(remoteAddress);
    if (isFull && !this.spareOne(own, 'address_limit')) return false;
    if (this.addresses.size >= maxConnections && !this.spareOne(this.largest(), 'process_limit'))
      return false;
    const group = this.groups.get(address) ?? new Set();
    this.groups.set(address, group.add(connection));
    this.addresses.set(connection, address);
    connection.socket.once('close', () => this.remove(connection));
    openConnections.set(this.addresses.size);
    return true;
  }

  /** False when the request exceeds the rate. */
  mayPipeline(connection: Connection): boolean {
    const { remoteAddress = '' } = connection.socket;
    if (this.trusted.has(remoteAddress)) return true;
    return this.pipelined.take(this.addresses.get(connection) ?? remoteAddress).allowed;
  }

  all(): Iterable<Connection> {
    return this.addresses.keys();
  }

  private remove(connection: Connection): void {
    const address = this.addresses.get(connection);
    if (address === undefined) return;
    this.addresses.delete(connection);
    deadBytes(BYTES_OF_A_CONNECTION);
    const group = this.groups.get(address);
    group?.delete(connection);
    if (group?.size === 0) this.groups.delete(address);
    openConnections.set(this.addresses.size);
  }

  private largest(): Group {
    let largest: Group = new Set();
    for (const group of this.groups.values()) if (group.size > largest.size) largest = group;
    return largest;
  }

  /** False when all must stay. */
  private spareOne(group: Group, why: ClosedFor): boolean {
    const nowMs = performance.now();
    let chosen: Connection | null = null;
    for (const connection of group)
      if (rankOf(connection, nowMs) < KEPT && (chosen === null || isRatherClosed(connection, chosen, nowMs)))
        chosen = connection;
    closedConnections.inc({ why });
    if (chosen === null) return false;
    // Removed now, because the socket's `close` event fires later.
    this.remove(chosen);
    chosen.socket.destroy();
    return true;
  }
}

const KEPT = 3;

/** The lowest rank is closed first: idle and never answered, idle, stalled body. */
function rankOf(connection: Connection, nowMs: number): number {
  if (connection.isIdle()) return connection.wasAnswered ? 1 : 0;
  return connection.isStalled(nowMs) ? 2 : KEPT;
}

/** Within one rank, the connection that has been idle longest. */
function isRatherClosed(one: Connection, other: Connection, nowMs: number): boolean {
  const [rank, otherRank] = [rankOf(one, nowMs), rankOf(other, nowMs)];
  return rank !== otherRank ? rank < otherRank : one.idleSinceMs < other.idleSinceMs;
}

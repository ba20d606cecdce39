import { deadBytes } from '@offizin/http-body/body-buffers';
import type { Connection } from './connection';
import { closedConnections, type ClosedFor, openConnections } from './edge-metrics';
import { networkOf } from './network-of';
import { RateLimiter } from './rate-limiter';
import type { TrustedProxies } from './trusted-proxies';

export interface ConnectionLimits {
  /** Of the process. */
  maxConnections: number;
  /** Of one address that is no trusted proxy. */
  maxConnectionsPerAddress: number;
}

/**
 * Requests that were sent before the answer to the one in front of them, of one address. Such a pipeline costs its sender
 * a few bytes per request, and this process all the work. No client library of today sends one by default.
 */
const PIPELINED = { perSecond: 100, burst: 200 };

/** Socket, parser and streams of a closed connection, estimated: they are collected in time, as dead bodies are. */
const BYTES_OF_A_CONNECTION = 16 * 1024;

type Group = Set<Connection>;

/**
 * The open connections of an edge, by address. At a limit a new connection takes the place of an idle one, or else of one
 * whose body does not come, so callers behind one address do not lock each other out. Idle connections thus cost a bounded
 * amount of memory. A new connection is refused only when all others have a whole request in work.
 */
export class ConnectionTable {
  private readonly groups = new Map<string, Group>();
  private readonly addresses = new Map<Connection, string>();
  private readonly pipelined = new RateLimiter(PIPELINED);

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly trusted: TrustedProxies,
  ) {}

  /** False when there is no place for the connection. */
  admit(connection: Connection): boolean {
    const { remoteAddress } = connection.socket;
    // It is gone already.
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

  /** Whether one more request of the connection may wait behind another one. Counts it. */
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

  /** Closes the connection that can best be spared; false when none can. */
  private spareOne(group: Group, why: ClosedFor): boolean {
    const nowMs = performance.now();
    let chosen: Connection | null = null;
    for (const connection of group)
      if (rankOf(connection, nowMs) < KEPT && (chosen === null || isRatherClosed(connection, chosen, nowMs)))
        chosen = connection;
    closedConnections.inc({ why });
    if (chosen === null) return false;
    // Its place is free at once; the event comes later.
    this.remove(chosen);
    chosen.socket.destroy();
    return true;
  }
}

const KEPT = 3;

/** The lowest is closed first: never answered, idle, without its body. */
function rankOf(connection: Connection, nowMs: number): number {
  if (connection.isIdle()) return connection.wasAnswered ? 1 : 0;
  return connection.isStalled(nowMs) ? 2 : KEPT;
}

/** Of one rank, the one that has waited longest. */
function isRatherClosed(one: Connection, other: Connection, nowMs: number): boolean {
  const [rank, otherRank] = [rankOf(one, nowMs), rankOf(other, nowMs)];
  return rank !== otherRank ? rank < otherRank : one.idleSinceMs < other.idleSinceMs;
}

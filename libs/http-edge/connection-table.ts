import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { deadBytes } from '@offizin/http-body/body-buffers';
import type { Refused } from '@offizin/contracts/calls/errors';
import { closedConnections, type ClosedFor, openConnections } from './edge-metrics';
import { resetConnection } from '@offizin/runtime/connection-deadlines';
import { networkOf, type TrustedProxies } from './trusted-proxies';
import { RateLimiter } from './rate-limiter';

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
    resetConnection(chosen.socket);
    return true;
  }
}

const KEPT = 3;

/** The lowest rank is closed first: closing or never answered, idle, stalled. */
function rankOf(connection: Connection, nowMs: number): number {
  if (connection.isIdle()) return connection.wasAnswered && !connection.socket.destroyed ? 1 : 0;
  return connection.isStalled(nowMs) ? 2 : KEPT;
}

/** Within one rank, the connection that has been idle longest. */
function isRatherClosed(one: Connection, other: Connection, nowMs: number): boolean {
  const [rank, otherRank] = [rankOf(one, nowMs), rankOf(other, nowMs)];
  return rank !== otherRank ? rank < otherRank : one.idleSinceMs < other.idleSinceMs;
}

/** Estimated size of Node.js' objects per request, without the text of its head. */
const BYTES_OF_A_REQUEST = 3_072;

/** A slower connection may be closed when another caller needs its place. */
const STALLED_AFTER_MS = 1_000;

interface WaitingRequest {
  request: IncomingMessage;
  response: ServerResponse;
  bytes: number;
}

export class Connection {
  /** Started requests whose answers the kernel does not have yet. */
  inWork = 0;
  /** Of these, the one that closes the connection: its answer stands behind those of the waiting requests. */
  refused: 0 | 1 = 0;
  readonly waiting: WaitingRequest[] = [];
  /** A parse error in a body arrives while its request is in work. */
  lastRequest: IncomingMessage | null = null;
  lastResponse: ServerResponse | null = null;
  /** The last answer is determined; further requests are ignored. */
  isClosing = false;
  /** Sent after the pending answers. */
  pendingRefusal: { refusal: Refused; method: string; requestId: string } | null = null;
  /** Shared by all responses of the connection. */
  onAnswered: () => void = () => undefined;
  /** The socket is closed. */
  isOver = false;
  wasAnswered = false;
  /** By performance.now(): opening, or last answer. */
  idleSinceMs = performance.now();
  /** By performance.now(): end of the last request's head. */
  requestedAtMs = 0;
  private isHeld = false;
  private readonly pauseAgain = (): unknown => this.socket.pause();

  constructor(readonly socket: Socket) {}

  noteRequest(request: IncomingMessage, response: ServerResponse): void {
    this.lastRequest = request;
    this.lastResponse = response;
    this.requestedAtMs = performance.now();
  }

  isIdle(): boolean {
    return this.inWork === 0;
  }

  /** It waits for its peer: for the rest of a body, or to take more of an answer than the kernel holds. */
  isStalled(nowMs: number): boolean {
    const waitsForPeer = this.lastRequest?.complete === false || this.socket.writableLength > 0;
    return waitsForPeer && nowMs - this.requestedAtMs > STALLED_AFTER_MS;
  }

  /** Node.js resumes a socket after each parsed request and each drain, so each resume is undone. */
  hold(): void {
    if (this.isHeld) return;
    this.isHeld = true;
    this.socket.on('resume', this.pauseAgain);
    this.socket.pause();
  }

  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.socket.off('resume', this.pauseAgain);
    this.socket.resume();
  }

  /**
   * Stops parsing bytes that were already read. Node.js has no public call for this; its parser stops when the handler
   * returns 2 ("another protocol follows").
   */
  stopParsing(): void {
    const { parser } = this.socket as Socket & { parser?: { onIncoming?: unknown } | null };
    if (parser) parser.onIncoming = () => 2;
  }
}

export function bytesOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return BYTES_OF_A_REQUEST + 2 * rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}

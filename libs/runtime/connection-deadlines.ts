import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Node.js cannot report which bytes a peer has read: the kernel buffers megabytes, and keeps them for minutes after
 * `close()`. So time counts from the last byte that the kernel accepted, and a reset discards the buffer.
 *
 * | State    | Connection                                                | Deadline                 |
 * | -------- | --------------------------------------------------------- | ------------------------ |
 * | sending  | bytes wait in this process                                | unreadMs, then reset     |
 * | answered | idle after more than DOUBT_BYTES                          | IDLE_SHARE, then closing |
 * | closing  | destroyed, but its descriptor stays open for the deadline | unreadMs, then reset     |
 *
 * The server's keepAliveTimeout closes the other idle connections. A balancer may expect it, so the operator's proxies
 * (`isTrusted`) are subject to `sending` only.
 */
export interface DeadlineOptions {
  unreadMs?: number;
  isTrusted?: (address: string) => boolean;
  onReset?: () => void;
}

/** Of less, the kernel of the peer usually has all. */
const DOUBT_BYTES = 16 * 1024;
const UNREAD_MS = 20_000;
/** An idle connection closes before it is reset, so that a slow reader receives the rest. */
const IDLE_SHARE = 0.75;
const CHECK_MS = 2_000;

interface Progress {
  /** Bytes that had left the process at the last progress, and its time. */
  sentBytes: number;
  sentAtMs: number;
}

/** Closes the descriptor of a destroyed socket. */
const closing = new WeakMap<Socket, () => void>();

/** Also when it is closing already. */
export function resetConnection(socket: Socket): void {
  socket.resetAndDestroy();
  closing.get(socket)?.();
}

export class ConnectionDeadlines {
  private readonly open = new Map<Socket, Progress>();
  private readonly unreadMs: number;
  private isStopping = false;

  constructor(
    server: Server,
    private readonly options: DeadlineOptions = {},
  ) {
    this.unreadMs = options.unreadMs ?? UNREAD_MS;
    server.on('connection', (socket: Socket) => this.watch(socket));
    // An idle connection. Node.js would abort it, which looks like an answer that is broken off.
    server.on('timeout', (socket: Socket) => socket.destroySoon());
    const check = setInterval(() => this.check(), Math.min(CHECK_MS, this.unreadMs / 10)).unref();
    server.once('close', () => clearInterval(check));
    const closeIdle = server.closeIdleConnections.bind(server);
    // Called by `server.close()`, which waits for all descriptors.
    server.closeIdleConnections = () => {
      this.isStopping = true;
      for (const socket of this.open.keys()) closing.get(socket)?.();
      closeIdle();
    };
  }

  private watch(socket: Socket): void {
    this.open.set(socket, { sentBytes: 0, sentAtMs: performance.now() });
    socket.once('close', () => this.open.delete(socket));
    const close = socket._destroy.bind(socket);
    socket._destroy = (error, callback) => {
      const end = (): void => {
        closing.delete(socket);
        close(error, callback);
      };
      if (error || this.isStopping || !this.mayBeUnread(socket)) return end();
      if (socket.writableFinished && !isAnswering(socket)) {
        stopReading(socket);
        closing.set(socket, end);
        return;
      }
      // The answer was broken off, or its caller has left.
      socket.resetAndDestroy();
      end();
    };
  }

  private mayBeUnread(socket: Socket): boolean {
    const progress = this.open.get(socket);
    if (!progress || this.isTrusted(socket)) return false;
    const nowMs = performance.now();
    note(progress, socket, nowMs);
    return progress.sentBytes > DOUBT_BYTES && nowMs - progress.sentAtMs < this.unreadMs;
  }

  private isTrusted({ remoteAddress = '' }: Socket): boolean {
    return this.options.isTrusted?.(remoteAddress) === true;
  }

  private check(): void {
    const nowMs = performance.now();
    for (const [socket, progress] of this.open) {
      note(progress, socket, nowMs);
      const unreadMs = nowMs - progress.sentAtMs;
      if (closing.has(socket) || socket.writableLength > 0) {
        if (unreadMs < this.unreadMs) continue;
        this.options.onReset?.();
        resetConnection(socket);
      } else if (isIdle(socket) && progress.sentBytes > DOUBT_BYTES && !this.isTrusted(socket)) {
        if (unreadMs >= IDLE_SHARE * this.unreadMs) socket.destroySoon();
      }
    }
  }
}

/** Node.js ends the socket of a caller that leaves in the middle of an answer, such as a stream of the console. */
function isAnswering(socket: Socket & { _httpMessage?: unknown }): boolean {
  return Boolean(socket._httpMessage);
}

/** Node.js sets the timeout of keep-alive after an answer, and clears it with the next request. */
function isIdle({ timeout = 0 }: Socket): boolean {
  return timeout > 0;
}

function note(progress: Progress, socket: Socket, nowMs: number): void {
  const sentBytes = socket.bytesWritten - queuedBytes(socket);
  if (sentBytes === progress.sentBytes) return;
  progress.sentBytes = sentBytes;
  progress.sentAtMs = nowMs;
}

interface Handle {
  readStop?: () => void;
  writeQueueSize?: number;
}

function handleOf(socket: Socket & { _handle?: Handle | null }): Handle | null {
  return socket._handle ?? null;
}

/** `pause()` leaves the descriptor reading, and a byte that reaches a destroyed socket ends the process (Node.js 20). */
function stopReading(socket: Socket): void {
  handleOf(socket)?.readStop?.();
}

/** Bytes that the kernel has not accepted; Node.js uses the same value for its timeouts. */
function queuedBytes(socket: Socket): number {
  return handleOf(socket)?.writeQueueSize ?? 0;
}

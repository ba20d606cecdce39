import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { inodeOf, unacknowledgedBytes } from './unacknowledged-bytes';

/**
 * One rule for every HTTP server and each state of a connection: a peer that takes none of the bytes that wait for it is
 * reset after `unreadMs`. A reset frees the kernel's buffers. The peer takes a byte when its system acknowledges it; then
 * it is neither in this process nor in the kernel. On other systems than Linux the kernel's bytes count as taken.
 *
 * After `close()` Linux would keep megabytes for minutes, so a destroyed socket keeps its descriptor until all is taken,
 * unless that is little.
 */
export interface DeadlineOptions {
  unreadMs?: number;
  onReset?: () => void;
}

/** With two intervals of `CHECK_MS` less than 30 s. */
const UNREAD_MS = 20_000;
const CHECK_MS = 4_000;
/**
 * A connection whose end leaves less in doubt is closed without waiting: others need its place, and the kernel holds
 * little for it.
 */
const DOUBT_BYTES = 16 * 1024;
/** Most callers leave sooner when their connection ends. */
const LEAVE_MS = 250;

interface Progress {
  /** At least; exact while nothing is sent. */
  takenBytes: number;
  /** At most, at that time. */
  tookUpToBytes: number;
  /** When it last took some bytes, or had taken all. */
  tookAtMs: number;
  inode?: number;
}

/** `sentBytes`: those that the kernel had at the last look. */
interface Doubt {
  socket: Socket;
  progress: Progress;
  inode: number;
  sentBytes: number;
}

/** Internal to Node.js. */
interface Handle {
  fd: number;
  /** With those that wait in this process. */
  bytesWritten: number;
  /** Those that wait in this process. */
  writeQueueSize: number;
  getpeername: (out: object) => number;
  readStop: () => void;
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
  private isChecking = false;
  private isStopping = false;

  constructor(
    server: Server,
    private readonly options: DeadlineOptions = {},
  ) {
    this.unreadMs = options.unreadMs ?? UNREAD_MS;
    server.on('connection', (socket: Socket) => this.watch(socket));
    // An idle connection. Node.js would abort it, which looks like an answer that is broken off.
    server.on('timeout', (socket: Socket) => socket.destroySoon());
    const check = setInterval(() => void this.check(), Math.min(CHECK_MS, this.unreadMs / 5)).unref();
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
    const progress: Progress = { takenBytes: 0, tookUpToBytes: 0, tookAtMs: performance.now() };
    this.open.set(socket, progress);
    socket.once('close', () => this.open.delete(socket));
    const close = socket._destroy.bind(socket);
    socket._destroy = (error, callback) => {
      const end = (): void => {
        closing.delete(socket);
        if (isEnding(socket)) setImmediate(close, error, callback);
        else close(error, callback);
      };
      const handle = handleOf(socket);
      const isDoubtful = handle && handle.bytesWritten - progress.takenBytes > DOUBT_BYTES;
      if (!isDoubtful || this.isStopping || hasLeft(socket)) return end();
      if (handle.writeQueueSize > 0) {
        socket.resetAndDestroy();
        return end();
      }
      // `pause()` leaves it reading, and a byte that reaches a destroyed socket ends the process (Node.js 20).
      handle.readStop();
      closing.set(socket, end);
      leaveSoon(socket);
    };
  }

  private async check(): Promise<void> {
    const nowMs = performance.now();
    const doubtful = this.isChecking ? [] : this.doubtful(nowMs);
    if (doubtful.length === 0) return;
    this.isChecking = true;
    // A failure leaves all unknown, as without a free descriptor.
    const inKernel = await unacknowledgedBytes().catch(() => null);
    this.isChecking = false;
    if (!inKernel) return;
    for (const { socket, progress, inode, sentBytes } of doubtful) {
      const handle = handleOf(socket);
      if (!handle) continue;
      // Bytes sent while the table was read may be in it or not. They must not look like progress.
      const heldBytes = inKernel.get(inode) ?? 0;
      const takenBytes = sentBytes - heldBytes;
      if (takenBytes > progress.tookUpToBytes) {
        progress.tookUpToBytes = handle.bytesWritten - handle.writeQueueSize - heldBytes;
        progress.tookAtMs = nowMs;
      }
      progress.takenBytes = Math.max(progress.takenBytes, takenBytes);
      if (handle.bytesWritten === progress.takenBytes) {
        if (!isBrokenOff(socket)) closing.get(socket)?.();
      } else if (nowMs - progress.tookAtMs >= this.unreadMs && this.open.has(socket)) {
        this.options.onReset?.();
        resetConnection(socket);
      }
    }
  }

  /** Connections that have been sent more than they are known to have taken. */
  private doubtful(nowMs: number): Doubt[] {
    const doubtful: Doubt[] = [];
    for (const [socket, progress] of this.open) {
      const handle = handleOf(socket);
      if (!handle) continue;
      const { fd, bytesWritten, writeQueueSize } = handle;
      if (bytesWritten === progress.takenBytes) {
        progress.tookAtMs = nowMs;
        continue;
      }
      const inode = (progress.inode ??= inodeOf(fd));
      doubtful.push({ socket, progress, inode, sentBytes: bytesWritten - writeQueueSize });
    }
    return doubtful;
  }
}

function leaveSoon(socket: Socket): void {
  setTimeout(() => {
    const end = closing.get(socket);
    if (!end) return;
    if (hasLeft(socket)) end();
    else if (isBrokenOff(socket)) resetConnection(socket);
    else leaveSoon(socket);
  }, LEAVE_MS).unref();
}

/** Both sides have ended, and all was acknowledged, or the peer has reset the connection. */
function hasLeft(socket: Socket): boolean {
  return handleOf(socket)?.getpeername({}) !== 0;
}

/** Until the end is sent, Node.js fails to reset a connection, and then keeps its descriptor for ever. */
function isEnding(socket: Socket): boolean {
  return socket.writableEnded && !socket.writableFinished;
}

/** Its end would look whole to HTTP/1.0. Or its caller has left. */
function isBrokenOff(socket: Socket & { _httpMessage?: unknown }): boolean {
  return !socket.writableFinished || Boolean(socket._httpMessage);
}

function handleOf(socket: Socket & { _handle?: Handle | null }): Handle | null {
  return socket._handle ?? null;
}

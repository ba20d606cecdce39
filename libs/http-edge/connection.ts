import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refused } from '@offizin/contracts/errors';

/** Estimated size of Node.js' objects per request, without the text of its head. */
const BYTES_OF_A_REQUEST = 3_072;

/** A slower connection may be closed when another caller needs its place. */
const STALLED_AFTER_MS = 1_000;

export interface WaitingRequest {
  request: IncomingMessage;
  response: ServerResponse;
  bytes: number;
}

export class Connection {
  /** Started requests whose answers the kernel does not have yet. */
  inWork = 0;
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
  hasPipelined = false;
  /** The socket is closed. */
  isOver = false;
  wasAnswered = false;
  /** By performance.now(): opening, or last answer. */
  idleSinceMs = performance.now();
  /** By performance.now(): end of the last request's head. */
  requestedAtMs = 0;
  /** Bytes that had left the process at the last progress, and its time. */
  sentMark = -1;
  sentAtMs = 0;
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

  isStalled(nowMs: number): boolean {
    return this.lastRequest?.complete === false && nowMs - this.requestedAtMs > STALLED_AFTER_MS;
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

  isUnread(nowMs: number, limitMs: number): boolean {
    const { socket } = this;
    const mark = socket.writableLength === 0 ? -1 : socket.bytesWritten - queuedBytes(socket);
    if (mark === -1 || mark !== this.sentMark) {
      this.sentMark = mark;
      this.sentAtMs = nowMs;
      return false;
    }
    return nowMs - this.sentAtMs >= limitMs;
  }
}

/** Bytes that the kernel has not accepted; Node.js uses the same value for its timeouts. */
function queuedBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}

export function bytesOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return BYTES_OF_A_REQUEST + 2 * rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}

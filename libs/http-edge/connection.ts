import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refused } from '@offizin/contracts/errors';

/** Objects that Node.js makes of a request, beside the text of its head. */
const BYTES_OF_A_REQUEST = 3_072;

/** A body takes milliseconds; a slow one keeps its connection as long as no other caller needs the place. */
const STALLED_AFTER_MS = 1_000;

/** A request that waits until those before it on its connection are answered. */
export interface WaitingRequest {
  request: IncomingMessage;
  response: ServerResponse;
  /** Memory that it holds, estimated. */
  bytes: number;
}

/** One connection of a caller, as the front of an edge sees it. */
export class Connection {
  /** Requests that were begun and whose answers are not yet handed to the system. */
  inWork = 0;
  readonly waiting: WaitingRequest[] = [];
  /** The request that was parsed last: an error in its body is found while it is in work. */
  lastRequest: IncomingMessage | null = null;
  lastResponse: ServerResponse | null = null;
  /** Its last answer is decided: nothing more is served on it. */
  isClosing = false;
  /** The answer to bytes that are no request; it waits for the answers before it. */
  pendingRefusal: { refusal: Refused; method: string; requestId: string } | null = null;
  /** One function for all its responses. */
  onAnswered: () => void = () => undefined;
  /** Requests had to wait. One behind another is no pipeline: a quick caller sends it before the other is recorded. */
  hasPipelined = false;
  /** Its socket is closed. */
  isOver = false;
  wasAnswered = false;
  /** By performance.now(): when it was opened, or answered last. */
  idleSinceMs = performance.now();
  /** By performance.now(): when the head of its last request had come. */
  requestedAtMs = 0;
  /** What of its answers had left the process when progress was seen last, and when that was. */
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

  /** A request is in work whose body has not come for a while: its caller keeps the edge waiting. */
  isStalled(nowMs: number): boolean {
    return this.lastRequest?.complete === false && nowMs - this.requestedAtMs > STALLED_AFTER_MS;
  }

  /**
   * Stops reading. Node.js resumes a socket after each request that it has parsed, and after each drain; so the socket
   * is paused again whenever that happens.
   */
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
   * Ends the parsing of what was read and is not yet parsed: up to 64 KiB, which can be thousands of requests. Node.js
   * has no public call for it; its parser stops behind a request whose handler returns 2 ("another protocol follows").
   */
  stopParsing(): void {
    const { parser } = this.socket as Socket & { parser?: { onIncoming?: unknown } | null };
    if (parser) parser.onIncoming = () => 2;
  }

  /**
   * Whether answers wait in this process and none of their bytes has left it for `limitMs`. Bytes that the system has
   * taken count as sent.
   */
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

/** Bytes of the write under way that the system has not taken; Node.js itself judges time-outs by this figure. */
function queuedBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}

/** Memory that a request holds while it waits, estimated. */
export function bytesOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return BYTES_OF_A_REQUEST + 2 * rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}

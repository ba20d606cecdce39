/**
 * One request, with exactly one outcome. Ending early destroys the connection, so remaining bytes of this answer never
 * reach another request.
 */
import type { Dispatcher } from 'undici';
import { EgressFailure, failureOf } from './failure';

export interface EgressAnswer {
  status: number;
  headers: AnswerHeaders;
  /** Never decompressed; at most `maxResponseBytes`. */
  body: Buffer;
  truncated: boolean;
  durationMs: number;
}

/** The others are dropped, so that a stored answer stays small. */
const KEPT_HEADERS = [
  'content-type',
  'content-length',
  'content-encoding',
  'location',
  'retry-after',
] as const;
type AnswerHeaders = Partial<Record<(typeof KEPT_HEADERS)[number], string>>;

interface ExchangeLimits {
  timeoutMs: number;
  maxResponseBytes: number;
  signal?: AbortSignal;
}

type Outcome = { answer: EgressAnswer } | { error: unknown };

export class Exchange implements Dispatcher.DispatchHandler {
  private readonly startedAtMs = performance.now();
  private readonly body: CappedBody;
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private settled = false;
  private status = 0;
  private headers: AnswerHeaders = {};

  constructor(
    private readonly limits: ExchangeLimits,
    private readonly report: (outcome: Outcome) => void,
  ) {
    this.body = new CappedBody(limits.maxResponseBytes);
    this.timer = setTimeout(this.onDeadline, limits.timeoutMs);
    limits.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Ends the exchange, unless it has ended. A request that waits for its connection is then never written. */
  end(reason: unknown): void {
    if (this.settle({ error: reason })) this.controller?.abort(new Error('ended early'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici cannot remove a request that waits for its connection; it calls this before it writes.
    if (this.settled) controller.abort(new Error('ended before the connection was ready'));
    else this.controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHeaders,
  ): void {
    // Interim answers (such as 103) also arrive here; the final one follows.
    if (status < 200) return;
    this.status = status;
    for (const name of KEPT_HEADERS) {
      const value = headers[name];
      if (value !== undefined) this.headers[name] = Array.isArray(value) ? value[0] : value;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body.add(chunk);
    if (!this.body.truncated) return;
    this.settle({ answer: this.collected() });
    controller.abort(new Error('the answer exceeds the limit'));
  }

  onResponseEnd(): void {
    // undici frees the connection in an immediate that it queues after this call. A caller that sends again immediately
    // would otherwise open a second connection.
    this.settle({ answer: this.collected() }, (tell) => queueMicrotask(() => setImmediate(tell)));
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.settle({ error: failureOf(error, this.controller !== undefined, this.durationMs()) });
  }

  private readonly onDeadline = (): void => {
    const { timeoutMs } = this.limits;
    this.end(new EgressFailure('timeout', `No complete answer within ${timeoutMs} ms.`, this.durationMs()));
  };

  private readonly onAbort = (): void => {
    this.end(this.limits.signal?.reason);
  };

  private collected(): EgressAnswer {
    return {
      status: this.status,
      headers: this.headers,
      body: this.body.bytes(),
      truncated: this.body.truncated,
      durationMs: this.durationMs(),
    };
  }

  private settle(outcome: Outcome, when: (tell: () => void) => void = now): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.timer);
    this.limits.signal?.removeEventListener('abort', this.onAbort);
    when(() => this.report(outcome));
    return true;
  }

  private durationMs(): number {
    return Math.round(performance.now() - this.startedAtMs);
  }
}

function now(tell: () => void): void {
  tell();
}

type IncomingHeaders = Record<string, string | string[] | undefined>;

/**
 * One buffer that doubles, up to a limit. Not a list of chunks: a server that sends single bytes would create one
 * object per byte.
 */
export class CappedBody {
  truncated = false;
  private buffer = EMPTY;
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  /** Sets `truncated` when bytes were dropped; the caller should then stop reading. */
  add(chunk: Buffer): void {
    const end = Math.min(this.length + chunk.length, this.maxBytes);
    this.truncated = this.length + chunk.length > this.maxBytes;
    if (end > this.buffer.length) this.grow(end);
    chunk.copy(this.buffer, this.length, 0, end - this.length);
    this.length = end;
  }

  /** A view; call it last, because a later `add` may not reach it. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private grow(neededBytes: number): void {
    const grown = Buffer.allocUnsafe(Math.min(Math.max(neededBytes, this.buffer.length * 2), this.maxBytes));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

const EMPTY = Buffer.alloc(0);

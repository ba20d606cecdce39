import { Timeout } from './errors';

/** Longest delay of setTimeout; beyond it, Node fires immediately. Source: Node.js documentation, `setTimeout`. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The end of a call: its time-out and the caller's signal in one, for all attempts, waits and the token exchange. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly endsAtMs: number;
  private readonly timer: ReturnType<typeof setTimeout> | undefined;
  private readonly onCallerAbort = (): void => this.controller.abort(this.caller?.reason);

  constructor(
    timeoutMs: number,
    private readonly caller?: AbortSignal | null,
  ) {
    if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be above 0; Infinity is not a time-out.');
    this.endsAtMs = Date.now() + timeoutMs;
    if (timeoutMs <= LONGEST_TIMER_MS)
      this.timer = setTimeout(() => this.controller.abort(new Timeout(timeoutMs)), timeoutMs);
    if (caller?.aborted) this.onCallerAbort();
    else caller?.addEventListener('abort', this.onCallerAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  remainingMs(): number {
    return this.endsAtMs - Date.now();
  }

  /**
   * The outcome of the work, or a rejection as soon as the call ends: with `Timeout`, or the reason of the caller's
   * signal.
   */
  async race<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this;
    let onAbort = (): void => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      onAbort = () => reject(signal.reason as Error);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([work, ended]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async sleep(waitMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.race(new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs))));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets go of the timer and of the caller's signal, which may live for ever. */
  close(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.onCallerAbort);
  }
}

/** Runs a call under a new deadline. */
export async function withDeadline<Result>(
  timeoutMs: number,
  caller: AbortSignal | null | undefined,
  run: (deadline: Deadline) => Promise<Result>,
): Promise<Result> {
  const deadline = new Deadline(timeoutMs, caller);
  try {
    return await run(deadline);
  } finally {
    deadline.close();
  }
}

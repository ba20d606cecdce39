import { appendFileSync } from 'node:fs';

/**
 * Outcomes that the callers of one run saw, in the order of the answers. *ok* is 2xx, *fail* 4xx, *unknown* everything
 * else: the call may have taken effect, and its caller repeats it under the same key. The checkers compare only this with
 * the stored rows and deliveries at the end.
 */
export type Outcome = 'ok' | 'fail' | 'unknown';

export interface Operation {
  /** Such as `request` or `order`. */
  kind: string;
  /** Key of repeats: external reference or external id. */
  key: string;
  /** The edge of the call, such as `connector`. */
  via: string;
  invokedAtMs: number;
  finishedAtMs: number;
  outcome: Outcome;
  /** Null when there was no answer at all. */
  status: number | null;
  /** Id in the answer; null without one. */
  id: string | null;
}

const FLUSH_LINES = 500;

/** Stores operations in memory for the checkers, and these and incidents as JSON lines in a file for people. */
export class History {
  readonly operations: Operation[] = [];
  private unwritten: string[] = [];

  /** Without a file nothing is written. */
  constructor(private readonly file: string | null) {}

  record(operation: Operation): void {
    this.operations.push(operation);
    this.write(operation);
  }

  /** An incident, such as `SIGKILL order-core` or `order-core started`. */
  note(what: string, atMs = Date.now()): void {
    this.write({ atMs, what });
  }

  flush(): void {
    if (this.file !== null && this.unwritten.length > 0) appendFileSync(this.file, this.unwritten.join(''));
    this.unwritten = [];
  }

  private write(line: object): void {
    this.unwritten.push(`${JSON.stringify(line)}\n`);
    if (this.unwritten.length >= FLUSH_LINES) this.flush();
  }
}

/** `fail` only for final refusals: a refusal with Retry-After is unknown. */
export function outcomeOf(status: number | null): Outcome {
  if (status === null || status >= 500 || status === 408 || status === 429) return 'unknown';
  return status < 300 ? 'ok' : 'fail';
}

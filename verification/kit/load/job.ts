import type { Pace } from './pace';

/** Jobs of a load process and their results. Sent between processes, so plain data only. */
export interface HttpRequest {
  /** Such as `http://127.0.0.1:3000`. */
  origin: string;
  method: string;
  /** May hold `{{unique-number}}`, as the body may: a number that no other request has. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** The loopback address that it is sent from. */
  localAddress?: string;
}

/** A block of load. Without an end it goes on until its parent ends it. */
export interface Job {
  kind: string;
  /** Requests in flight at a time; each caller sends its next one when the answer is there. */
  callers: number;
  /** The end of the block: a time, or a number of requests. */
  durationMs?: number;
  count?: number;
  /** The first number of `{{unique-number}}`. */
  firstNumber: number;
  /** The first place in the job's list that is taken. */
  firstIndex: number;
}

export interface HttpJob extends Job {
  kind: 'http';
  /** Of all callers together; by default as fast as they can. */
  pace?: Pace;
  /** Repeated from the start at the end. */
  requests: HttpRequest[];
}

export interface LoadResult {
  /** Number of successful answers. */
  successes: number;
  /** Answers by status; `error` counts requests without an answer, `ok` is the status of a statement. */
  statuses: Record<string, number>;
  elapsedMs: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  sent: number;
}

export const UNIQUE = '{{unique-number}}';

/** As long as `{{unique-number}}`, so that a request keeps its length. */
export function uniqueText(number: number): string {
  return String(number).padStart(UNIQUE.length, '0');
}

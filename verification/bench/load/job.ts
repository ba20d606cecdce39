/** Jobs of the load process and their results. Sent between processes, so plain data only. */
export interface HttpRequest {
  method: string;
  /** May hold `{{unique-number}}`, as the body may: a number that no other request has. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Block {
  /** Requests in flight at a time; each caller sends its next one when the answer is there. */
  callers: number;
  /** The end of the block: a time, or a number of requests. */
  durationMs?: number;
  count?: number;
  /** The first number of `{{unique-number}}`. */
  firstNumber: number;
  /** The first of `requests` or `values` that is taken. */
  firstIndex: number;
}

export interface HttpJob extends Block {
  kind: 'http';
  /** The callers are spread over them. */
  ports: number[];
  /** Even rate of requests; by default as fast as the callers can. */
  perSecond?: number;
  /** Repeated from the start at the end. */
  requests: HttpRequest[];
}

export interface SqlJob extends Block {
  kind: 'sql';
  databaseUrl: string;
  connections: number;
  /** Prepared once per connection. */
  statement: { name: string; text: string };
  /** Sets of parameters, walked in a circle; texts may hold `{{unique-number}}` and `{{uuid}}`. */
  values: unknown[][];
  /** Whether each answer is turned into JSON text, as an answer over HTTP would be. */
  stringify: boolean;
}

/** Sends all pending rows of the raw tables (rows/webhooks.ts). */
export interface QueueJob extends Block {
  kind: 'queue';
  databaseUrl: string;
  origins: string[];
  headers: Record<string, string>;
}

/** Storing or reading documents without the product (document-load.ts). */
export interface DocumentJob extends Block {
  kind: 'document';
  databaseUrl: string;
  connections: number;
  /** A body that holds the document as base64 at `field`; it is stored. Null: the stored documents are read. */
  body: { json: string; field: string } | null;
}

export type Job = HttpJob | SqlJob | QueueJob | DocumentJob;

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
export const UUID = '{{uuid}}';

/** As long as `{{unique-number}}`, so that a request keeps its length. */
export function uniqueText(number: number): string {
  return String(number).padStart(UNIQUE.length, '0');
}

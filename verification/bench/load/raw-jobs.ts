import type { HttpJob, Job } from '@offizin/testkit/load/job';

/** Jobs that are the raw limits of rows, beside those over HTTP. */
export interface SqlJob extends Job {
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
export interface QueueJob extends Job {
  kind: 'queue';
  databaseUrl: string;
  origins: string[];
  headers: Record<string, string>;
}

/** Storing or reading documents without the product (document-load.ts). */
export interface DocumentJob extends Job {
  kind: 'document';
  databaseUrl: string;
  connections: number;
  /** A body that holds the document as base64 at `field`; it is stored. Null: the stored documents are read. */
  body: { json: string; field: string } | null;
}

export type BenchJob = HttpJob | SqlJob | QueueJob | DocumentJob;

export const UUID = '{{uuid}}';

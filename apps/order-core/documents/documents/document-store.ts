import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { EgressAnswer } from '@offizin/egress/exchange';
import { EgressFailure } from '@offizin/egress/failure';
import { Egress } from '@offizin/egress/send';
import type { DocumentStoreSettings } from './document-store-settings';
import { Counter } from 'prom-client';
import type { Sql } from '@offizin/pg/database';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import { storeBacklog } from './loose-objects.store';

/**
 * `unreachable`: no answer in time. `refused`: the store wants other settings (4xx). `failed`: it is to be asked again.
 */
export type StoreProblem = 'unreachable' | 'refused' | 'failed' | 'missing' | 'altered';

/** The message contains no address and no name of an object. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';

  constructor(
    readonly problem: StoreProblem,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

const SHA256_OF_NOTHING = createHash('sha256').digest('hex');
/** Enough for the error document of S3. */
const MAX_ANSWER_BYTES = 64 * 1024;
const CONNECTIONS = 16;

type Method = 'GET' | 'PUT' | 'DELETE';
const CALLS: Record<Method, StoreCall> = { GET: 'read', PUT: 'write', DELETE: 'delete' };

/** Objects in a bucket with the API of S3. Only PUT, GET and DELETE of an object are used. */
export class DocumentStore {
  private readonly egress: Egress;

  constructor(private readonly settings: DocumentStoreSettings) {
    // The host is the operator's choice and often in the same network. The bytes are encrypted.
    const policy = { allowInternal: true, allowLoopback: true, allowHttp: true };
    this.egress = new Egress({ ...policy, maxConnectionsPerOrigin: CONNECTIONS });
  }

  /**
   * `sha256` is the hash of `bytes` in hexadecimal. The store refuses other bytes, and a request that it gets more than
   * 15 minutes after `signedAt`. Throws `StoreFailure`.
   */
  async put(
    name: string,
    { bytes, sha256 }: { bytes: Buffer; sha256: string },
    timeoutMs: number,
    signedAt = new Date(),
  ): Promise<void> {
    const limits = { timeoutMs, maxResponseBytes: MAX_ANSWER_BYTES };
    await this.call('PUT', name, { body: bytes, sha256, signedAt, ...limits });
  }

  /** The object, which must have this length. Throws `StoreFailure`. */
  async get(name: string, length: number, timeoutMs: number): Promise<Buffer> {
    const limits = { sha256: SHA256_OF_NOTHING, timeoutMs };
    const maxResponseBytes = Math.max(length, MAX_ANSWER_BYTES);
    const { body } = await this.call('GET', name, { ...limits, maxResponseBytes });
    if (body.length !== length) throw this.failed('GET', 'altered', 'The object has another length.');
    return body;
  }

  /** An object that does not exist counts as deleted. Throws `StoreFailure`. */
  async delete(name: string, timeoutMs: number): Promise<void> {
    const limits = { sha256: SHA256_OF_NOTHING, timeoutMs, maxResponseBytes: MAX_ANSWER_BYTES };
    await this.call('DELETE', name, limits);
  }

  /** Counts a problem that only its reader could see. */
  noteAltered(): void {
    storeCalls.inc({ call: 'read', outcome: 'altered' });
  }

  async close(): Promise<void> {
    await this.egress.close();
  }

  private async call(method: Method, name: string, request: Request): Promise<EgressAnswer> {
    const answer = await this.send(method, name, request);
    const { status } = answer;
    if (status >= 200 && status < 300) {
      if (answer.truncated) throw this.failed(method, 'altered', 'The object is longer than expected.');
      storeCalls.inc({ call: CALLS[method], outcome: 'ok' });
      return answer;
    }
    const code = codeOf(answer.body);
    const isMissing = status === 404 && code === 'NoSuchKey';
    if (isMissing && method === 'DELETE') return answer;
    const message = `The document store answered ${status}${code && ` (${code})`}.`;
    throw this.failed(method, isMissing ? 'missing' : problemOf(status), message);
  }

  private async send(method: Method, name: string, request: Request): Promise<EgressAnswer> {
    const { sha256, body, signedAt = new Date(), timeoutMs, maxResponseBytes } = request;
    const { url, ...credentials } = this.settings;
    const target = `${url}/${name}`;
    const signer = new AwsV4Signer({
      method,
      url: target,
      service: 's3',
      ...credentials,
      headers: { 'x-amz-content-sha256': sha256 },
      datetime: signedAt.toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    const { headers } = await signer.sign();
    try {
      return await this.egress.send({
        url: target,
        method,
        headers: Object.fromEntries(headers),
        timeoutMs,
        maxResponseBytes,
        ...(body && { body }),
      });
    } catch (error) {
      if (!(error instanceof EgressFailure)) throw error;
      throw this.failed(method, 'unreachable', error.message, error);
    }
  }

  private failed(method: Method, problem: StoreProblem, message: string, cause?: unknown): StoreFailure {
    storeCalls.inc({ call: CALLS[method], outcome: problem });
    return new StoreFailure(problem, message, cause);
  }
}

interface Request {
  sha256: string;
  body?: Buffer;
  signedAt?: Date;
  timeoutMs: number;
  maxResponseBytes: number;
}

function problemOf(status: number): StoreProblem {
  // A redirect leads to the right region: the setting is wrong.
  return status < 500 && status !== 408 && status !== 429 ? 'refused' : 'failed';
}

/** S3 reports errors in XML; '' when the body has none. */
function codeOf(body: Buffer): string {
  return /<Code>(\w{1,60})<\/Code>/.exec(body.toString('latin1'))?.[1] ?? '';
}

const STORE_CALLS = ['read', 'write', 'delete'] as const;
type StoreCall = (typeof STORE_CALLS)[number];
const STORE_OUTCOMES = ['ok', 'unreachable', 'refused', 'failed', 'missing', 'altered'] as const;

const storeCalls = new Counter({
  name: 'offizin_document_store_calls_total',
  help: 'Calls of the document store by what they do, and how they ended',
  labelNames: ['call', 'outcome'] as const,
});
// A counter must exist before its first event: alert rules do not see an increase from a missing series.
for (const call of STORE_CALLS) for (const outcome of STORE_OUTCOMES) storeCalls.inc({ call, outcome }, 0);

/** Every replica reports the same values. `afterDays` is null where none moves. */
export function observeDocumentStore(sql: Sql, afterDays: number | null): void {
  sampleGauges('document store', () => storeBacklog(sql, afterDays), [
    {
      name: 'offizin_documents_to_move',
      help: 'Documents that may move to the document store and have not, counted up to 1000',
      value: ({ to_move: documents }) => documents,
    },
    {
      name: 'offizin_documents_in_store',
      help: 'Documents in the document store, counted up to 100000',
      value: ({ in_store: documents }) => documents,
    },
    {
      name: 'offizin_document_deletion_oldest_age_seconds',
      help: 'Time since the oldest object that is to be deleted lost its document; 0 where there is none',
      value: ({ deletion_age_seconds: age }) => age ?? 0,
    },
  ]);
}

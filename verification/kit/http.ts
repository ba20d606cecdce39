import { type Agent, request } from 'node:http';
import type { ErrorBody } from '@offizin/contracts/calls/errors';

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Raw bytes; `json()` reads them. */
  body: Buffer;
  durationMs: number;
}

export interface HttpOptions {
  method?: string;
  headers?: Record<string, string>;
  /** An object is sent as JSON; text and bytes as they are. */
  body?: object | string | Buffer;
  agent?: Agent;
  /** Ends the call without an answer. */
  signal?: AbortSignal;
}

/**
 * One HTTP request with Node's client: any header can be set (even `Host`), redirects and encodings are left
 * alone.
 */
export async function http(url: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const startedAt = performance.now();
  const { bytes, headers } = encoded(options);
  const { method = 'GET', agent, signal } = options;
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, agent, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const durationMs = performance.now() - startedAt;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
          durationMs,
        });
      });
    });
    sending.once('error', reject);
    sending.end(bytes);
  });
}

/** The JSON body of an answer; `T` is not checked. */
export function json<T = Record<string, unknown>>(answer: HttpAnswer): T {
  return JSON.parse(answer.body.toString()) as T;
}

function encoded({ body, headers = {} }: Pick<HttpOptions, 'body' | 'headers'>): {
  bytes: string | Buffer | undefined;
  headers: Record<string, string>;
} {
  if (body === undefined) return { bytes: undefined, headers };
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    return { bytes: body, headers: { 'content-length': String(Buffer.byteLength(body)), ...headers } };
  }
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    bytes,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers },
  };
}

/** Status and code of a refusal, such as `404 not_found`; the status alone of any other answer. */
export function codeOf(answer: HttpAnswer): string {
  return answer.status < 400 ? String(answer.status) : `${answer.status} ${json<ErrorBody>(answer).error}`;
}

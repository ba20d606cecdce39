import { randomUUID } from 'node:crypto';
import { type Deadline, withDeadline } from './deadline';
import { errorOf, OffizinError } from './errors';
import type { CallOptions } from './resource-types';
import type { Credentials, Outgoing, Transport } from './transport';

/** A call of the API, before its organization and credentials are known. */
export interface ApiCall {
  method: string;
  /** Below the server's `baseUrl`; `{orgId}` is filled in. */
  path: string;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

export interface ApiServer {
  baseUrl: string;
  transport: Transport;
  credentials: Credentials;
  /** For paths with `{orgId}`. */
  organizationId?: (deadline: Deadline) => Promise<string>;
}

/** Sends a call and gives its answer: JSON, the bytes of a document, or undefined. Throws `OffizinError`. */
export async function answerOf(
  { method, path, query, body }: ApiCall,
  options: CallOptions,
  { baseUrl, transport, credentials, organizationId }: ApiServer,
): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json, application/pdf' });
  const template = `${baseUrl}${path}${queryText(query)}`;
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (options.ifMatch !== undefined) headers.set('if-match', options.ifMatch);
  if (options.idempotencyKey !== undefined) headers.set('idempotency-key', options.idempotencyKey);
  const timeoutMs = options.timeoutMs ?? transport.timeoutMs;
  const response = await withDeadline(timeoutMs, options.signal, async (deadline) => {
    const url =
      organizationId && path.includes('{orgId}')
        ? template.replace('{orgId}', await organizationId(deadline))
        : template;
    return transport.send(withIdempotencyKey({ method, url, headers, ...json }), deadline, credentials);
  });
  options.onResponse?.({ status: response.status, headers: response.headers });
  return content(response);
}

/**
 * The address as paths are added to it. Both values often come from an environment that lacks them. Throws one TypeError
 * that names what is missing.
 */
export function checkedAddress(
  of: string,
  [addressName, address]: [name: string, value: unknown],
  [keyName, key]: [name: string, value: unknown],
): string {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : null;
  const isAddress = url !== null && /^https?:$/.test(url.protocol);
  // Another character would fail at the first call, as a header that is not valid.
  const isKey = typeof key === 'string' && /^[!-~]+$/.test(key);
  if (isAddress && isKey) return url.href.replace(/\/+$/, '');
  const missing = [
    ...(isAddress ? [] : [`${addressName}, an address such as https://api.example.org`]),
    ...(isKey ? [] : [`${keyName}, a key without blanks`]),
  ];
  throw new TypeError(`new ${of} needs ${missing.join(', and ')}.`);
}

/** A POST without a key gets one: made once, so that all its attempts are one request to the server. */
export function withIdempotencyKey(request: Outgoing): Outgoing {
  const { headers } = request;
  if (request.method === 'POST' && !headers.has('idempotency-key'))
    headers.set('idempotency-key', randomUUID());
  return request;
}

function queryText(query: ApiCall['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw new TypeError(`The query parameter ${name} must be a string, number or boolean.`);
    parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

async function content(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type.startsWith('application/pdf')) return new Uint8Array(await response.arrayBuffer());
  const text = await response.text();
  if (response.ok && text === '') return undefined;
  const parsed = parseJson(text);
  if (!response.ok) throw errorOf(response, parsed);
  if (parsed !== undefined) return withEtag(parsed, response.headers.get('etag'));
  const requestId = response.headers.get('x-request-id');
  throw new OffizinError(response.status, 'unexpected_answer', 'The answer is not JSON.', [], requestId);
}

/** Not enumerable: an object that is read, changed and sent back must not send it as a field. */
function withEtag(answer: unknown, etag: string | null): unknown {
  const isObject = typeof answer === 'object' && answer !== null;
  return isObject && etag !== null ? Object.defineProperty(answer, 'etag', { value: etag }) : answer;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

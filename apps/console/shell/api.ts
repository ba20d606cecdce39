import type { ErrorBody } from '@offizin/contracts/errors';
import { idleMs } from './idle';

/** The console's door of the interface (apps/gateway/console): same origin, the session travels as a cookie. */

/** An answer that is not a success, or none at all (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly details: ErrorBody['details'] = [],
  ) {
    super(message);
  }
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From `/api` on, such as `/api/session`. */
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** The call survives the page, as for a decision that is sent while the page closes. */
  keepalive?: boolean;
}

const DOOR = '/console';
/** Not-GET without it is refused, so that no other site can send one. */
const CONSOLE_HEADER = { 'x-offizin-console': '1' };

export async function call<Reply>(request: Call): Promise<Reply> {
  const response = await send(request);
  const text = await textOf(response);
  if (!response.ok) throw refusal(response, text);
  return (text === '' ? undefined : parsed(text, response)) as Reply;
}

/** The bytes of an answer that is no JSON, such as a prescription. */
export async function callBytes(request: Call): Promise<ArrayBuffer> {
  const response = await send(request);
  if (!response.ok) throw refusal(response, await textOf(response));
  return response.arrayBuffer();
}

/** Calls that the page makes by itself do not keep the session of a person alive who has left. */
const IDLE_FROM_MS = 60_000;

function idleHeader(): Record<string, string> {
  const ms = idleMs();
  return ms < IDLE_FROM_MS ? {} : { 'x-offizin-idle': String(Math.floor(ms / 1_000)) };
}

async function send({ method, path, query, body, headers, signal, keepalive }: Call): Promise<Response> {
  const parameters = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = parameters.length > 0 ? `?${new URLSearchParams(parameters).toString()}` : '';
  try {
    return await window.fetch(`${DOOR}${path}${search}`, {
      method,
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      headers: {
        accept: 'application/json',
        ...(method === 'GET' ? {} : CONSOLE_HEADER),
        ...idleHeader(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
      keepalive: keepalive ?? false,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'offline', 'no answer', null);
  }
}

async function textOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch {
    throw new ApiError(0, 'offline', 'the answer broke off', response.headers.get('x-request-id'));
  }
}

function refusal(response: Response, text: string): ApiError {
  const requestId = response.headers.get('x-request-id');
  const body = parsedOrNull(text) as Partial<ErrorBody> | null;
  return new ApiError(
    response.status,
    body?.error ?? 'unknown',
    body?.message ?? response.statusText,
    requestId,
    body?.details,
  );
}

function parsed(text: string, response: Response): unknown {
  const value = parsedOrNull(text);
  if (value !== null) return value;
  throw new ApiError(
    response.status,
    'not_json',
    'the answer is not JSON',
    response.headers.get('x-request-id'),
  );
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { HttpMethod } from '@offizin/contracts/calls/operation';
import type { SessionResponse } from '@offizin/contracts/people/sessions';
import type { DocumentPath, InputArgument, InputOf, PathOf, ReplyOf } from './api-types';
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

interface SendOptions {
  signal?: AbortSignal | undefined;
  /** The call survives the page, as for a decision that is sent while the page closes. */
  keepalive?: boolean;
}

/** The input of a call, once the compiler has compared it with the operation. */
interface Input extends SendOptions {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  header?: Readonly<Record<string, string>>;
  body?: unknown;
}

const DOOR = '/console';
/** Not-GET without it is refused, so that no other site can send one. */
const CONSOLE_HEADER = { 'x-offizin-console': '1' };
const JSON_ONLY = 'application/json';

/** Method and path of an operation, such as `call('GET', '/api/session')`; it decides the types of input and reply. */
export async function call<M extends HttpMethod, Path extends PathOf<M>>(
  method: M,
  path: Path,
  ...[input]: InputArgument<InputOf<M, Path> & SendOptions>
): Promise<ReplyOf<M, Path>> {
  const response = await send(method, path, JSON_ONLY, input);
  const text = await bodyOf(response, 'text');
  if (!response.ok) throw refusal(response, text);
  return (text === '' ? undefined : parsed(text, response)) as ReplyOf<M, Path>;
}

/** The bytes of a document, such as a prescription. */
export async function callDocument<Path extends DocumentPath>(
  path: Path,
  ...[input]: InputArgument<InputOf<'GET', Path> & SendOptions>
): Promise<ArrayBuffer> {
  return (await fileOf(path, 'application/pdf, application/json', input)).arrayBuffer();
}

/** A list as a file, by its media type. A transfer that breaks off is an error. */
export function callFile<Path extends PathOf<'GET'>>(
  path: Path,
  accept: string,
  ...[input]: InputArgument<InputOf<'GET', Path> & SendOptions>
): Promise<Blob> {
  return fileOf(path, accept, input);
}

async function fileOf(path: string, accept: string, input: Input | undefined): Promise<Blob> {
  const response = await send('GET', path, accept, input);
  if (!response.ok) throw refusal(response, await bodyOf(response, 'text'));
  return bodyOf(response, 'blob');
}

/** Calls that the page makes by itself do not keep the session of a person alive who has left. */
const IDLE_FROM_MS = 60_000;

function idleHeader(): Record<string, string> {
  const ms = idleMs();
  return ms < IDLE_FROM_MS ? {} : { 'x-offizin-idle': String(Math.floor(ms / 1_000)) };
}

/** The gateway refuses the call when the cookie has become another person's. */
function personHeader(): Record<string, string> {
  const staffId = tabPerson.current();
  return staffId === null ? {} : { 'x-offizin-staff': staffId };
}

/** Where the browser itself loads a document, such as to save it as a file. */
export function addressOfDocument<Path extends DocumentPath>(
  path: Path,
  ...[input]: InputArgument<InputOf<'GET', Path> & SendOptions>
): string {
  return addressOf(path, input);
}

function addressOf(template: string, { path, query = {} }: Input = {}): string {
  const values: Readonly<Record<string, string>> = { orgId: tabPerson.orgId(), ...path };
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = parameters.length > 0 ? `?${new URLSearchParams(parameters).toString()}` : '';
  return `${DOOR}${filled}${search}`;
}

async function send(
  method: HttpMethod,
  template: string,
  accept: string,
  input: Input = {},
): Promise<Response> {
  const { header, body, signal, keepalive } = input;
  try {
    return await window.fetch(addressOf(template, input), {
      method,
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      headers: {
        accept,
        ...(method === 'GET' ? {} : CONSOLE_HEADER),
        ...idleHeader(),
        ...personHeader(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...header,
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

async function bodyOf<Form extends 'text' | 'blob'>(
  response: Response,
  form: Form,
): Promise<Awaited<ReturnType<Response[Form]>>> {
  try {
    return (await response[form]()) as Awaited<ReturnType<Response[Form]>>;
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

/**
 * The person whom this tab shows. All tabs share the cookie, which may become another person's at any time. So each
 * call names its person, and the gateway refuses it for another one (decision 0042). Calls are about the person's
 * organization.
 */
class TabPerson {
  private session: SessionResponse | null = null;

  readonly current = (): string | null => this.session?.staff.id ?? null;

  readonly orgId = (): string => this.session?.org.id ?? '';

  become(session: SessionResponse | null): void {
    this.session = session;
  }
}

export const tabPerson = new TabPerson();

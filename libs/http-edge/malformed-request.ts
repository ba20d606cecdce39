import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Refused } from '@offizin/contracts/calls/errors';

const MAX_HEAD_KIB = 16;

/** Null when the head is valid. */
export function refusalOfHead(request: IncomingMessage): Refused | null {
  const { httpVersionMajor, httpVersionMinor } = request;
  const hosts = hostsOf(request);
  if (httpVersionMajor !== 1)
    return new Refused('invalid_request', 'This server speaks HTTP/1.1 and HTTP/1.0 only.');
  if (!isTarget(request.url ?? '')) return new Refused('invalid_request', 'The request target is malformed.');
  if (hosts > 1) return new Refused('invalid_request', 'The header Host must be sent once.');
  // HTTP/1.0 has neither Host nor Expect.
  if (httpVersionMinor === 0) return null;
  if (hosts === 0) return new Refused('invalid_request', 'The header Host is required.');
  const { expect } = request.headers;
  if (expect === undefined || isContinue(expect)) return null;
  return new Refused('invalid_request', 'The header Expect may only be 100-continue.');
}

/** `headers` holds only the first Host; `rawHeaders` alternates names and values. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

function isContinue(expect: string): boolean {
  return expect.toLowerCase() === '100-continue';
}

/** For bytes that Node.js cannot parse, or a request that did not arrive in time. */
export function refusalOfBytes({ code = '', reason }: NodeJS.ErrnoException & { reason?: unknown }): Refused {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Refused('invalid_request', 'The request did not arrive in time: send it without pauses.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Refused('payload_too_large', `The head of the request is larger than ${MAX_HEAD_KIB} KiB.`);
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Refused('payload_too_large', 'The chunk extensions of the body are too large.');
  if (code === 'HPE_INVALID_EOF_STATE')
    return new Refused('invalid_request', 'The request ended before it was complete.');
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  return new Refused('invalid_request', `The request is not valid HTTP/1.1${why}.`);
}

export const CONNECT_REFUSED = new Refused('method_not_allowed', 'CONNECT is not served here.', undefined, {
  allow: 'GET, HEAD, POST, PUT, PATCH, DELETE',
});

export const TOO_MANY_PIPELINED = new Refused(
  'rate_limited',
  'Too many requests wait on this connection: read the answers before you send more.',
  undefined,
  { 'retry-after': '1' },
);

/** An absolute target (RFC 9112, 3.2.2) needs a valid authority: the router ignores it and answers past our hooks. */
function isTarget(url: string): boolean {
  return !/^https?:/i.test(url) || (/^https?:\/\/[^/?#]/i.test(url) && URL.canParse(url));
}

/** The only form that guards, signatures and order-core know. */
export function originForm(url: string): string {
  const [target = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('#');
  return target.startsWith('/') || target.startsWith('*') ? target : `/${target}`;
}

/** Closing immediately could reset the connection and lose the answer. */
const DISCARD_MS = 2_000;

/** Writes an answer that belongs to no parsed request. */
export function answerAndClose(
  socket: Socket,
  { status, body, headers }: { status: number; body: object; headers: Record<string, string> },
): void {
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
  discardInput(socket);
}

/** Detaches the connection from Node.js' parser. */
function discardInput(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), DISCARD_MS);
  socket.once('close', () => clearTimeout(timer));
}

import type { IncomingMessage } from 'node:http';
import { Refused } from '@offizin/contracts/errors';

/** Refuses what is no JSON body, before a byte is read: 415 for another media type or a compressed body, 413 by size. */
export function checkBodyHeaders(request: IncomingMessage, maxBytes: number): void {
  const { headers } = request;
  checkNotCompressed(request);
  if (hasBody(request) && mediaType(headers['content-type']) !== 'application/json') {
    throw new Refused('unsupported_media_type', 'The body must be application/json in UTF-8.');
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export function checkNotCompressed({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new Refused('unsupported_media_type', 'Send the body without compression.');
}

/** From here on one piece of memory is taken at once: putting pieces together would need twice the size at the end. */
const LARGE_BYTES = 64 * 1024;

/**
 * The bytes of a body of at most `maxBytes`; throws `Refused` (payload_too_large) as soon as there are more, and keeps
 * nothing of it then. Those of a large body that said its length are the only ones on their memory.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  let chunks: Buffer[] = [];
  let whole = announced > LARGE_BYTES ? Buffer.allocUnsafeSlow(announced) : null;
  let size = 0;
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      chunks = [];
      whole = null;
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) refuse(tooLarge(maxBytes));
      else if (whole) whole.set(chunk, size - chunk.length);
      else chunks.push(chunk);
    });
    request.once('end', () => {
      // All of it: Node's parser ends a body that falls short of its length with an error.
      const [first] = chunks;
      resolve(whole ?? (chunks.length === 1 && first ? first : Buffer.concat(chunks)));
    });
    request.once('error', refuse);
    request.once('close', () => {
      if (!request.complete) refuse(new Refused('invalid_request', 'The body ended early.'));
    });
  });
}

export function tooLarge(maxBytes: number): Refused {
  return new Refused('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined;
}

/** Media type in lower case without parameters; a charset other than UTF-8 makes it unknown. */
export function mediaType(contentType: string | undefined): string | null {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return null;
  return type.trim();
}

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

/** The bytes of a body of at most `maxBytes`; throws `Refused` (payload_too_large) as soon as there are more. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(tooLarge(maxBytes));
    });
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Refused('invalid_request', 'The body ended early.'));
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

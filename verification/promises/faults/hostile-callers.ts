import { gzipSync } from 'node:zlib';
import { headerLines, type Target } from '@offizin/testkit/edge-target';
import { type RawAnswer, rawHttp } from '@offizin/testkit/raw-http';

const MEBIBYTE = 1024 * 1024;

const NOTHING: RawAnswer = { status: 0, head: '', body: '', sentBytes: 0, durationMs: 0 };

async function sendRaw(
  { url, path, headers }: Target,
  extra: Record<string, string>,
  body: Iterable<Buffer>,
): Promise<RawAnswer> {
  const lines = headerLines({ 'content-type': 'application/json', ...headers, ...extra });
  // A connection closed without an answer counts as an answer here.
  return rawHttp(url, { head: [`POST ${path} HTTP/1.1`, ...lines], body }).catch(() => NOTHING);
}

/** 100 MB, with Content-Length or in chunks. */
export function hugeBody(target: Target, isAnnounced: boolean): Promise<RawAnswer> {
  const size = 100 * MEBIBYTE;
  if (isAnnounced) return sendRaw(target, { 'content-length': String(size) }, pieces(size));
  return sendRaw(target, { 'transfer-encoding': 'chunked' }, chunked(size));
}

export function compressedBody(target: Target): Promise<RawAnswer> {
  const body = gzipSync(Buffer.alloc(64 * MEBIBYTE, ' '));
  return sendRaw(target, { 'content-encoding': 'gzip', 'content-length': String(body.length) }, [body]);
}

export function wholeBody(
  target: Target,
  body: Buffer | string,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const bytes = Buffer.from(body);
  return sendRaw(target, { 'content-length': String(bytes.length), ...headers }, [bytes]);
}

/** 20,000 nested arrays. */
export const deepJson = (): Buffer => Buffer.from(`{"payload":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);

export const badUtf8 = (): Buffer =>
  Buffer.concat([
    Buffer.from('{"payload":{"customer_name":"'),
    Buffer.from([0xff, 0xc0, 0xaf]),
    Buffer.from('"}}'),
  ]);

/** 10 MiB that begin like a PDF and are expensive to scan. */
export function hostilePdf(): Buffer {
  const unit = '1 0 obj << /Type /Pages /Kids [ 2 0 R << /ByteRange [0 1 2 3] ';
  return Buffer.from(`%PDF-1.7\n${unit.repeat(Math.floor((10 * MEBIBYTE - 64) / unit.length))}\n%%EOF\n`);
}

function* pieces(size: number): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, ' ');
  for (let sent = 0; sent < size; sent += piece.length) yield piece;
}

function* chunked(size: number): Generator<Buffer> {
  for (const piece of pieces(size))
    yield Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}

import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesWeakly, readEntityTags } from '@offizin/operations/entity-tags';

const DEFAULT_CACHE = 'public, max-age=300';
/** Higher qualities delay the start noticeably and save little. */
const BROTLI_QUALITY = 4;
/** A copy that saves less (as for images) is not stored. */
const MAX_COMPRESSED_PART = 0.9;

type Coding = 'br' | 'gzip' | 'identity';

interface Copy {
  coding: Coding;
  bytes: Buffer;
  /** Differs by coding (RFC 9110 section 8.8.3). */
  etag: string;
}

export interface PublishedFile {
  mediaType: string;
  /** Smallest first, the uncompressed file last. */
  copies: Copy[];
}

/** `made`: compressed copies that the build has made, at a quality that a start has no time for. */
export function publishedFile(
  mediaType: string,
  content: string | Buffer,
  made?: { br: Buffer; gzip: Buffer },
): PublishedFile {
  const bytes = Buffer.from(content);
  const hash = createHash('sha256').update(bytes).digest('base64url');
  const compressed: Copy[] = [
    { coding: 'br', bytes: made?.br ?? brotli(bytes), etag: `"${hash}-br"` },
    { coding: 'gzip', bytes: made?.gzip ?? gzipSync(bytes), etag: `"${hash}-gzip"` },
  ];
  const copies = compressed.filter((copy) => copy.bytes.length <= MAX_COMPRESSED_PART * bytes.length);
  copies.sort((a, b) => a.bytes.length - b.bytes.length);
  return { mediaType, copies: [...copies, { coding: 'identity', bytes, etag: `"${hash}"` }] };
}

function brotli(bytes: Buffer): Buffer {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params });
}

export function answerFile(
  { mediaType, copies }: PublishedFile,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl = DEFAULT_CACHE,
): void {
  const refused = refusedCodings(request.headers['accept-encoding']);
  const copy = copies.find(({ coding }) => !refused(coding)) ?? copies.at(-1);
  if (!copy) throw new Error('published file has no copy');
  const { coding, bytes, etag } = copy;
  reply.header('cache-control', cacheControl).header('etag', etag);
  if (copies.length > 1) reply.header('vary', 'accept-encoding');
  if (isKnown(etag, request.headers['if-none-match'])) {
    void reply.code(304).send();
    return;
  }
  if (coding !== 'identity') reply.header('content-encoding', coding);
  void reply.code(200).header('content-type', mediaType).send(bytes);
}

/** RFC 9110 section 12.5.3. Without the header only the uncompressed file is sent. */
function refusedCodings(acceptEncoding: string | string[] | undefined): (coding: Coding) => boolean {
  const weights = new Map<string, number>();
  for (const member of String(acceptEncoding ?? '').split(',')) {
    const [name = '', ...parameters] = member.toLowerCase().split(';');
    const weight = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text);
    if (name.trim() !== '') weights.set(name.trim(), Number(weight ?? 1));
  }
  return (coding) => {
    const weight = weights.get(coding) ?? weights.get('*');
    return coding !== 'identity' && !(weight !== undefined && weight > 0);
  };
}

function isKnown(etag: string, ifNoneMatch = ''): boolean {
  const known = readEntityTags(ifNoneMatch);
  return known !== null && matchesWeakly(known, etag);
}

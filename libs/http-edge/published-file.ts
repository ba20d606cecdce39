import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesWeakly, readEntityTags } from '@offizin/runtime/entity-tags';

/** It changes only with a new version of the edge; for so long an old copy does no harm. */
const CACHE_SECONDS = 300;

/** Bytes for everybody, without a token; made once, when the process starts, and sent once per copy. */
export interface PublishedFile {
  mediaType: string;
  bytes: Buffer;
  etag: string;
}

export function publishedFile(mediaType: string, content: string | Buffer): PublishedFile {
  const bytes = Buffer.from(content);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { mediaType, bytes, etag };
}

export function answerFile(
  { mediaType, bytes, etag }: PublishedFile,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`).header('etag', etag);
  if (isKnown(etag, request.headers['if-none-match'])) void reply.code(304).send();
  else void reply.code(200).header('content-type', mediaType).send(bytes);
}

function isKnown(etag: string, ifNoneMatch = ''): boolean {
  const known = readEntityTags(ifNoneMatch);
  return known !== null && matchesWeakly(known, etag);
}

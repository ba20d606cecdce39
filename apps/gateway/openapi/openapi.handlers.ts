import { createHash } from 'node:crypto';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openApiDocument } from '@offizin/contracts/openapi-document';
import { openApiYaml } from '@offizin/contracts/openapi-yaml';
import { GatewayConfig } from '../config';

/** It changes only with a new version of the gateway; for so long an old copy does no harm. */
const CACHE_SECONDS = 300;

interface PublishedFile {
  mediaType: string;
  bytes: Buffer;
  etag: string;
}

/** The OpenAPI description for everybody, without a token. The bytes are made once, when the process starts. */
@Controller('/openapi')
export class OpenApiHandlers {
  private readonly yaml: PublishedFile;
  private readonly json: PublishedFile;

  constructor({ publicBaseUrl: baseUrl }: GatewayConfig) {
    this.yaml = publishedFile('application/yaml', openApiYaml({ baseUrl }));
    this.json = publishedFile('application/json', JSON.stringify(openApiDocument({ baseUrl })));
  }

  @Get('external-api.yaml')
  asYaml(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answer(this.yaml, request, reply);
  }

  @Get('external-api.json')
  asJson(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answer(this.json, request, reply);
  }
}

function publishedFile(mediaType: string, text: string): PublishedFile {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { mediaType: `${mediaType}; charset=utf-8`, bytes, etag };
}

function answer(
  { mediaType, bytes, etag }: PublishedFile,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`).header('etag', etag);
  if (isKnown(etag, request.headers['if-none-match'])) void reply.code(304).send();
  else void reply.code(200).header('content-type', mediaType).send(bytes);
}

/** RFC 9110 13.1.2: a list of tags, compared weakly, or any. */
function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

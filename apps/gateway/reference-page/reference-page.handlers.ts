import { readFileSync } from 'node:fs';
import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerFile, type PublishedFile, publishedFile } from '@offizin/http-edge/published-file';
import { pageHtml, startScript } from './page-text';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** Files served from the package swagger-ui-dist, with their media types. */
const SWAGGER_UI_FILES = {
  'swagger-ui-bundle.js': JAVASCRIPT,
  'swagger-ui.css': CSS,
  'index.css': CSS,
  'favicon-32x32.png': 'image/png',
};

export const REFERENCE_PAGE_PATHS = [
  '/docs',
  '/docs/start.js',
  ...Object.keys(SWAGGER_UI_FILES).map((name) => `/docs/${name}`),
];

/** Scripts and requests only within this origin; nothing inline except the images in Swagger UI's styles. */
const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * The public reference page: callers enter a token and try operations. All bytes are read at start, so a request
 * selects an entry of a list, never a file.
 */
@Controller('/docs')
export class ReferencePageHandlers {
  private readonly page = publishedFile('text/html; charset=utf-8', pageHtml);
  private readonly files = new Map<string, PublishedFile>([
    ['start.js', publishedFile(JAVASCRIPT, startScript)],
    ...Object.entries(SWAGGER_UI_FILES).map(([name, mediaType]): [string, PublishedFile] => [
      name,
      publishedFile(mediaType, readFileSync(require.resolve(`swagger-ui-dist/${name}`))),
    ]),
  ]);

  @Get()
  readPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.page, request, reply.headers(SECURITY_HEADERS));
  }

  @Get(':name')
  readAsset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const file = this.files.get((request.params as { name: string }).name);
    if (!file) throw new NotFoundException();
    answerFile(file, request, reply.headers(SECURITY_HEADERS));
  }
}

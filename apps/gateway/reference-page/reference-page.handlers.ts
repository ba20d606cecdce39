import { join } from 'node:path';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noSuchPath } from '@offizin/contracts/calls/errors';
import { answerFile, publishedFile } from '@offizin/http-edge/published-file';
import { log } from '@offizin/runtime/log';
import { ASSET_CACHING, INDEX_CACHING, type PageBundle, readPageBundle } from '../bundles/page-bundle';
import { guides } from '../front-page/guides';

/** Built by apps/reference, beside this app. */
const BUNDLE = join(__dirname, '../../reference');

export const REFERENCE_PAGE_PATHS = ['/docs', '/docs/guides.json', '/docs/assets/{name}'];

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

/** The public reference page: guides, and calls that can be tried with an API key. A missing file is a 404. */
@Controller('/docs')
export class ReferencePageHandlers {
  private readonly files: PageBundle | null = readPageBundle(BUNDLE);
  private readonly guides = publishedFile('application/json; charset=utf-8', JSON.stringify(guides));

  constructor() {
    if (!this.files) log.warn({ folder: BUNDLE }, 'the reference page is not built: /docs answers 404');
  }

  @Get()
  readPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (!this.files) throw noSuchPath();
    answerFile(this.files.index, request, reply.headers(SECURITY_HEADERS), INDEX_CACHING);
  }

  /** The guides as the page shows and searches them; each alone is at /guides. */
  @Get('guides.json')
  readGuides(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.guides, request, reply.headers(SECURITY_HEADERS));
  }

  /** `/docs/` is the page as well; below it is nothing else. */
  @Get('*')
  readBelow(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (!this.files || !/^\/docs\/(?:\?|$)/.test(request.url)) throw noSuchPath();
    void reply.headers(SECURITY_HEADERS).redirect('/docs', 308);
  }

  @Get('assets/:name')
  readAsset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const file = this.files?.assets.get((request.params as { name: string }).name);
    if (!file) throw noSuchPath();
    answerFile(file, request, reply.headers(SECURITY_HEADERS), ASSET_CACHING);
  }
}

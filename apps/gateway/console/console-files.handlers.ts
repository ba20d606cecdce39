import { join } from 'node:path';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noSuchPath } from '@offizin/contracts/calls/errors';
import { answerFile } from '@offizin/http-edge/published-file';
import { log } from '@offizin/runtime/log';
import { ASSET_CACHING, INDEX_CACHING, type PageBundle, readPageBundle } from '../bundles/page-bundle';
import { GatewayConfig } from '../config';
import { headersOfAsset, PAGE_HEADERS } from './console-headers';
import { underOwnName } from './loopback-name';

/** Built by apps/console, beside this app. */
const BUNDLE = join(__dirname, '../../console');

export const CONSOLE_PATHS = ['/console', '/console/assets/{name}', '/console/assets/{folder}/{name}'];

/**
 * The staff console: one page for every address below `/console`, and the files that it loads. A missing file is a
 * 404, never the page: an open tab after a new build must notice.
 */
@Controller('/console')
export class ConsoleFilesHandlers {
  private readonly files: PageBundle | null = readPageBundle(BUNDLE);

  private readonly ownOrigin: string;

  constructor(config: GatewayConfig) {
    this.ownOrigin = new URL(config.publicBaseUrl).origin;
    if (!this.files) log.warn({ folder: BUNDLE }, 'the console is not built: /console answers 404');
  }

  @Get()
  readStart(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.answerPage(request, reply);
  }

  @Get(['assets/:name', 'assets/:folder/:name'])
  readAsset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { folder, name } = request.params as { folder?: string; name: string };
    const path = folder === undefined ? name : `${folder}/${name}`;
    const file = this.files?.assets.get(path);
    if (!file) throw noSuchPath();
    answerFile(file, request, reply.headers(headersOfAsset(name)), ASSET_CACHING);
  }

  /** The router in the browser knows the pages. */
  @Get('*')
  readPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (/^\/console\/(?:api|assets)(?:[/?]|$)/.test(request.url)) throw noSuchPath();
    this.answerPage(request, reply);
  }

  private answerPage(request: FastifyRequest, reply: FastifyReply): void {
    if (!this.files) throw noSuchPath();
    const own = underOwnName(request.headers.host, request.url, this.ownOrigin);
    if (own !== null) {
      void reply.headers(PAGE_HEADERS).header('cache-control', 'no-store').redirect(own, 307);
      return;
    }
    answerFile(this.files.index, request, reply.headers(PAGE_HEADERS), INDEX_CACHING);
  }
}

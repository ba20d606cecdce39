import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { gatewayOperations } from '@offizin/contracts/operations';
import { answerFile, type PublishedFile, publishedFile } from '@offizin/http-edge/published-file';
import { FRONT_PAGE_CSS, frontPage, llmsText } from './front-page-text';
import { guides } from './guides';

/** Browsers show it as it is; text/markdown they would save. */
const TEXT = 'text/plain; charset=utf-8';

export const FRONT_PAGE_PATHS = [
  '/',
  '/front-page.css',
  '/llms.txt',
  '/health',
  ...guides.map(({ file }) => `/guides/${file}`),
];

const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** The front page at the gateway's address, the guides, and the index for agents. */
@Controller()
export class FrontPageHandlers {
  private readonly page = publishedFile('text/html; charset=utf-8', frontPage(guides));
  private readonly css = publishedFile('text/css; charset=utf-8', FRONT_PAGE_CSS);
  private readonly llms = publishedFile(TEXT, llmsText(guides, gatewayOperations));
  private readonly guides = new Map<string, PublishedFile>(
    guides.map(({ file, text }) => [file, publishedFile(TEXT, text)]),
  );

  @Get()
  readPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.page, request, reply.headers(SECURITY_HEADERS));
  }

  @Get('front-page.css')
  readCss(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.css, request, reply.headers(SECURITY_HEADERS));
  }

  @Get('llms.txt')
  readIndex(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.llms, request, reply.headers(SECURITY_HEADERS));
  }

  @Get('health')
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('guides/:file')
  readGuide(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const guide = this.guides.get((request.params as { file: string }).file);
    if (!guide) throw new NotFoundException();
    answerFile(guide, request, reply.headers(SECURITY_HEADERS));
  }
}

import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openApiDocument, openApiYaml } from '@offizin/openapi/document';
import { answerFile, type PublishedFile, publishedFile } from '@offizin/http-edge/published-file';
import { GatewayConfig } from '../config';

const ANY_ORIGIN = ['access-control-allow-origin', '*'] as const;

/** Public, without a token, for pages of every origin; built once at start. The contract names it below the address of the docs. */
@Controller(['/openapi', '/docs/openapi'])
export class OpenApiHandlers {
  private readonly yaml: PublishedFile;
  private readonly json: PublishedFile;

  constructor({ publicBaseUrl: baseUrl }: GatewayConfig) {
    this.yaml = publishedFile('application/yaml; charset=utf-8', openApiYaml({ baseUrl }));
    this.json = publishedFile(
      'application/json; charset=utf-8',
      JSON.stringify(openApiDocument({ baseUrl })),
    );
  }

  @Get('external-api.yaml')
  asYaml(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.yaml, request, reply.header(...ANY_ORIGIN));
  }

  @Get('external-api.json')
  asJson(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.json, request, reply.header(...ANY_ORIGIN));
  }
}

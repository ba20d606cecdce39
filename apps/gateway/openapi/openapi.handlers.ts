import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openApiDocument, openApiYaml } from '@offizin/openapi/document';
import { postmanCollection } from '@offizin/openapi/postman';
import type { Description } from '@offizin/openapi/samples/described-call';
import { answerFile, type PublishedFile, publishedFile } from '@offizin/http-edge/published-file';
import { GatewayConfig } from '../config';

const JSON_TYPE = 'application/json; charset=utf-8';
const ANY_ORIGIN = ['access-control-allow-origin', '*'] as const;

/** Public, without a token, for pages of every origin; built once at start. The contract names it below the address of the docs. */
@Controller(['/openapi', '/docs/openapi'])
export class OpenApiHandlers {
  private readonly yaml: PublishedFile;
  private readonly json: PublishedFile;
  private readonly postman: PublishedFile;

  constructor({ publicBaseUrl: baseUrl }: GatewayConfig) {
    const json = JSON.stringify(openApiDocument({ baseUrl }));
    const collection = postmanCollection(JSON.parse(json) as Description);
    this.yaml = publishedFile('application/yaml; charset=utf-8', openApiYaml({ baseUrl }));
    this.json = publishedFile(JSON_TYPE, json);
    this.postman = publishedFile(JSON_TYPE, JSON.stringify(collection));
  }

  @Get('external-api.yaml')
  asYaml(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.yaml, request, reply.header(...ANY_ORIGIN));
  }

  @Get('external-api.json')
  asJson(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.json, request, reply.header(...ANY_ORIGIN));
  }

  @Get('postman-collection.json')
  asPostmanCollection(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.postman, request, reply.header(...ANY_ORIGIN));
  }
}

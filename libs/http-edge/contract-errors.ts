import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  NotFoundException,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, Refused } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import { errorFields, log } from '@offizin/runtime/log';
import { answerEarly } from './early-answer';
import { breakOff } from './final-status';

/** A route that an edge answers: those of its operations and a few of its own. */
export interface KnownRoute extends Pick<Operation, 'path'>, Partial<Pick<Operation, 'name'>> {
  method: Operation['method'] | 'HEAD';
}

/** Everything that an edge throws, in the contract's shape; also Fastify's own refusals and unknown routes. */
@Catch()
export class ContractErrors implements ExceptionFilter {
  private readonly routes: { method: string; pattern: RegExp }[];

  constructor(routes: readonly KnownRoute[]) {
    this.routes = routes.map(({ method, path }) => ({
      method,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const refusal = thrown instanceof NotFoundException ? this.unknownRoute(request) : contractError(thrown);
    const { status, body, headers } = errorAnswer(refusal);
    if (status === 500) log.error({ request_id: request.id, ...errorFields(thrown) }, 'request failed');
    sendError(request, reply, { status, body, headers });
  }

  /** 405 with Allow when the path exists with another method, else 404. */
  private unknownRoute(request: FastifyRequest): Refused {
    const path = request.url.split('?')[0] ?? '';
    const allowed = this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (allowed.length === 0) return new Refused('not_found', 'There is no such path.');
    const allow = [...new Set(allowed)].join(', ');
    return new Refused('method_not_allowed', `This path takes ${allow}.`, undefined, { allow });
  }
}

function contractError(thrown: unknown): unknown {
  const status = statusOf(thrown);
  if (status === 401) return unauthorized();
  if (status === 413)
    return new Refused('payload_too_large', 'The body is larger than this operation takes.');
  if (status === 415) return new Refused('unsupported_media_type', 'The body must be application/json.');
  if (status === 400) return new Refused('invalid_request', 'The request cannot be read.');
  if (status === 404) return new Refused('not_found', 'There is no such path.');
  return thrown;
}

/** What the router finds wrong with an address, before it has a route. */
export function refusalOfRouter({ code }: { code: string }): Refused {
  if (code === 'FST_ERR_BAD_URL')
    return new Refused('invalid_request', 'The address of the request is malformed.');
  return new Refused('not_found', 'There is no such path.');
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof Refused) return undefined;
  if (thrown instanceof HttpException) return thrown.getStatus();
  const known = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined;
  return typeof known === 'number' ? known : undefined;
}

export function unauthorized(message = 'A valid access token is required.'): Refused {
  return new Refused('unauthorized', message, undefined, { 'www-authenticate': 'Bearer' });
}

export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: { status: number; body: object; headers: Record<string, string> },
): void {
  if (reply.raw.headersSent) {
    breakOff(reply.raw, answer.status);
    return;
  }
  if (answer.status === 413) {
    reply.hijack();
    answerEarly(request.raw, reply.raw, answer);
    return;
  }
  void reply
    .code(answer.status)
    .headers(answer.headers)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(answer.body));
}

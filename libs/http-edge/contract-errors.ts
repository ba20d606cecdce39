import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  NotFoundException,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, noSuchPath, Refused } from '@offizin/contracts/calls/errors';
import { pathPattern } from '@offizin/contracts/calls/path-template';
import { errorFields, log } from '@offizin/runtime/log';
import type { KnownRoute } from './known-route';
import { AlreadyAnswered, breakOff, discardInPace, respondEarly } from './response-status';
import type { UnroutedCalls } from './unrouted-calls';

/** Answers every error of an edge in the contract's shape, Fastify's included. */
@Catch()
export class ContractErrors implements ExceptionFilter {
  private readonly routes: { method: string; pattern: RegExp }[];

  constructor(
    routes: readonly KnownRoute[],
    private readonly unrouted: UnroutedCalls,
  ) {
    this.routes = routes.map(({ method, path }) => ({
      method,
      pattern: pathPattern(path),
    }));
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (thrown instanceof AlreadyAnswered) return void reply.hijack();
    if (thrown instanceof NotFoundException) this.refuseUnrouted(request, reply, this.unknownRoute(request));
    else refuse(request, reply, contractError(thrown));
  }

  refuseUnrouted(request: FastifyRequest, reply: FastifyReply, refusal: Refused): void {
    this.unrouted.count(request, reply).then(
      () => refuse(request, reply, refusal),
      (error: unknown) => refuse(request, reply, error),
    );
  }

  private unknownRoute({ url }: FastifyRequest): Refused {
    const path = url.split('?')[0] ?? '';
    const allowed = this.methodsOf(path);
    if (allowed.length > 0) {
      const allow = allowed.join(', ');
      return new Refused('method_not_allowed', `This path takes ${allow}.`, undefined, { allow });
    }
    const shorter = path.replace(/\/$/, '');
    if (shorter === path || this.methodsOf(shorter).length === 0) return noSuchPath();
    return new Refused('not_found', `There is no such path: leave out the last slash (${shorter}).`);
  }

  private methodsOf(path: string): string[] {
    const known = this.routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(known.map(({ method }) => method))];
  }
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const answer = errorAnswer(error);
  if (answer.status === 500) log.error({ request_id: request.id, ...errorFields(error) }, 'request failed');
  sendError(request, reply, answer);
}

function contractError(thrown: unknown): unknown {
  const status = statusOf(thrown);
  if (status === 401) return unauthorized();
  if (status === 413)
    return new Refused('payload_too_large', 'The body is larger than this operation takes.');
  if (status === 415) return new Refused('unsupported_media_type', 'The body must be application/json.');
  if (status === 400) return new Refused('invalid_request', 'The request cannot be read.');
  if (status === 404) return noSuchPath();
  return thrown;
}

export function refusalOfRouter({ code }: { code: string }): Refused {
  if (code === 'FST_ERR_BAD_URL')
    return new Refused(
      'invalid_request',
      'The path of the request is malformed: send UTF-8, percent-encoded.',
    );
  return noSuchPath();
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof Refused) return undefined;
  if (thrown instanceof HttpException) return thrown.getStatus();
  const known = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined;
  return typeof known === 'number' ? known : undefined;
}

/** Without a token. */
export const TOKEN_REQUIRED =
  'The access token is missing: exchange the API key at POST /auth/token, then send the header Authorization: Bearer, a blank and the token.';

/** `challenge`: RFC 6750, section 3; without a token it names no error. */
export function unauthorized(message = TOKEN_REQUIRED, challenge = 'Bearer'): Refused {
  return new Refused('unauthorized', message, undefined, { 'www-authenticate': challenge });
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
  if (answer.status === 413 || answer.headers['connection'] === 'close') {
    reply.hijack();
    respondEarly(request.raw, reply.raw, answer);
    return;
  }
  if (!request.raw.complete) discardInPace(request.raw);
  void reply
    .code(answer.status)
    .headers(answer.headers)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(answer.body));
}

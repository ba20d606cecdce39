import { ERROR_CODES, type ErrorCode, ERRORS } from './error-table';
import { Nested, OneOf, Text } from './fields';
import { Described } from './schema';

/**
 * Every outcome that is not a success, told apart by type:
 * - `Refused`: the contract does not allow it (4xx). The caller must change something; nothing was stored.
 * - `Unreachable`: the called service did not answer (502, 503, 504). The request may have taken effect; the caller
 *   retries.
 * - anything else thrown is an internal error (500), logged with its stack, which never leaves the process.
 */

/** One problem of a request, by the path of the field: `items[0].qty`. */
@Described('One problem of a request')
export class Problem {
  @Text({ example: 'items[0].qty', description: 'Path of the field' }) field!: string;
  @Text({ maxLength: 10_000, description: 'What is wrong with it, for people' }) message!: string;
}

@Described('The body of every error answer. Codes are stable, messages are not.')
export class ErrorBody {
  @OneOf(ERROR_CODES, { description: 'Code of the error, for programs' }) error!: ErrorCode;
  @Text({ optional: true, maxLength: 10_000, description: 'One sentence that says what to do' })
  message?: string;
  @Nested(() => Problem, {
    list: { maxItems: 1000 },
    optional: true,
    description: 'Every problem of the request, where it names fields',
  })
  details?: Problem[];
  @Text({
    optional: true,
    maxLength: 10_000,
    description:
      'OAuth 2.0 token requests only (RFC 6749 section 5.2): the message in the characters of that RFC',
  })
  error_description?: string;
}

/** The contract refuses the request. `message` is one sentence that tells the caller what to do. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: Problem[],
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** Refuses an OAuth 2.0 token request; its answer also has the fields of RFC 6749 section 5.2. */
export class OAuthRefused extends Refused {
  /** RFC 6749 allows printable ASCII without quote and backslash. */
  get description(): string {
    return this.message.replaceAll('"', "'").replace(/[^ -[\]-~]/g, '?');
  }
}

/** A 400 that names its fields. */
export function invalid(details: Problem[]): Refused {
  const first = details[0];
  const message = first ? `${first.field}: ${first.message}` : 'The request is not valid.';
  return new Refused('invalid_request', message, details);
}

/** Fields that a body may send back and never changes. Throws `Refused` (invalid_request) for another value. */
export function requireAsRead<Read extends object>(
  given: { [Field in keyof Read]?: unknown },
  present: Read,
  fields: readonly (keyof Read & string)[],
): void {
  const problems = fields
    .filter((field) => given[field] !== undefined && given[field] !== present[field])
    .map((field) => ({ field, message: 'cannot be changed: leave it out, or send it as it was read' }));
  if (problems.length > 0) throw invalid(problems);
}

/** `caller`: one that is bound to a shop reads of its shop; a connector is that to its partner. */
export function notFound(what: string, { shopId = null }: { shopId?: string | null } = {}): Refused {
  const place = shopId === null ? 'in this organization' : 'at this shop';
  return new Refused('not_found', `There is no such ${what} ${place}.`);
}

export function noSuchPath(): Refused {
  return new Refused('not_found', 'There is no such path.');
}

/** The called service is unavailable or silent; whether the request took effect is unknown. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(
    readonly code: 'core_unreachable' | 'service_unavailable' | 'timeout',
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** No answer came. A read has no effect, so its caller just asks again. */
export function unanswered(
  method: string | undefined,
  what = 'The service did not answer in time.',
): Unreachable {
  const isRead = method === 'GET' || method === 'HEAD';
  const advice = isRead ? 'Try again in a moment.' : 'Whether it took effect is unknown: repeat.';
  return new Unreachable('timeout', `${what} ${advice}`);
}

/** A statement was cancelled by its timeout. Nothing of it is stored; a smaller request may succeed. */
export class TooSlow extends Unreachable {
  constructor(cause?: unknown, advice = 'Try again in a moment.') {
    super('service_unavailable', `The database did not finish this request in time. ${advice}`, cause);
  }
}

/** The answer is longer than the service can send. Limits should prevent this, so it is an internal error (500). */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge';
}

/** No Retry-After for timeouts: the caller has already waited. */
const UNREACHABLE_HEADERS = {
  core_unreachable: { 'retry-after': '1' },
  service_unavailable: { 'retry-after': '1' },
  timeout: {},
};

/** The answer for any thrown value. The reason of an internal error is only logged. */
export function errorAnswer(thrown: unknown): {
  status: number;
  body: ErrorBody;
  headers: Record<string, string>;
} {
  if (thrown instanceof Refused) {
    const body: ErrorBody = { error: thrown.code, message: thrown.message };
    if (thrown.details) body.details = thrown.details;
    if (thrown instanceof OAuthRefused) body.error_description = thrown.description;
    return { status: ERRORS[thrown.code].status, body, headers: thrown.headers };
  }
  if (thrown instanceof Unreachable) {
    return {
      status: ERRORS[thrown.code].status,
      body: { error: thrown.code, message: thrown.message },
      headers: UNREACHABLE_HEADERS[thrown.code],
    };
  }
  const message =
    thrown instanceof ReplyTooLarge
      ? 'The answer is too large to be sent. What was asked for may have happened; a list answers with a smaller limit.'
      : 'Something failed on our side. The request id finds it in our logs.';
  return { status: 500, body: { error: 'internal_error', message }, headers: {} };
}

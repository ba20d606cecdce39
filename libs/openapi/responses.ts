import { ERROR_CODES, type ErrorCode, ERRORS } from '@offizin/contracts/calls/error-table';
import { ErrorBody } from '@offizin/contracts/calls/errors';
import { takesIdempotencyKey } from '@offizin/contracts/calls/idempotency';
import { type Operation, takesPrecondition } from '@offizin/contracts/calls/operation';
import { pathParameters } from '@offizin/contracts/calls/path-template';
import { isScope } from '@offizin/contracts/people/scopes';
import { exampleOf } from './examples';
import type { JsonObject, SchemaCollection } from './schemas';

/** Success answers come from `statuses` and `reply`, error answers from the error table. */

export const responseHeaders: JsonObject = {
  RequestId: {
    description: 'Identifies the request in our logs: your X-Request-Id, or a generated one',
    schema: { type: 'string', maxLength: 128 },
  },
  ETag: {
    description: 'Version of the object, for If-Match and If-None-Match',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before a retry',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitLimit: {
    description: 'Requests that the caller may make in one burst',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'Requests left in the current window',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'Seconds until the whole limit is available again',
    schema: { type: 'integer', minimum: 0 },
  },
  IdempotentReplayed: {
    description: '`true` when the stored first answer is repeated, by Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  WwwAuthenticate: {
    description:
      '`Bearer`, with `error="invalid_token"` where a token was sent (RFC 6750), or `Basic` for an OAuth 2.0 token request; not on shop domains',
    schema: { type: 'string' },
  },
};

const headerReference = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });
/** Headers of answers to an identified caller. */
const rateLimitHeaders = (): JsonObject => ({
  'RateLimit-Limit': headerReference('RateLimitLimit'),
  'RateLimit-Remaining': headerReference('RateLimitRemaining'),
  'RateLimit-Reset': headerReference('RateLimitReset'),
});

const SUCCESS: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  204: 'Done; there is no body',
};

/** Collects the error answers of all operations: one component for each status and set of codes. */
export class ResponseCollection {
  private readonly errors = new Map<string, JsonObject>();

  constructor(private readonly schemas: SchemaCollection) {}

  responsesOf(op: Operation): JsonObject {
    const success = op.statuses.map((status) => [String(status), this.success(op, status)]);
    const codesByStatus = new Map<number, ErrorCode[]>();
    for (const code of refusalsOf(op)) {
      const status = ERRORS[code].status;
      codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
    }
    const refused = [...codesByStatus].map(([status, codes]) => [
      String(status),
      this.refused(status, codes),
    ]);
    const unchanged = op.hasEntityTag && op.method === 'GET' ? [['304', this.unchanged()]] : [];
    return Object.fromEntries([...success, ...unchanged, ...refused]) as JsonObject;
  }

  /** components/responses, by name. */
  all(): JsonObject {
    return Object.fromEntries([...this.errors].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private success(op: Operation, status: number): JsonObject {
    const headers: JsonObject = { 'X-Request-Id': headerReference('RequestId') };
    Object.assign(headers, rateLimitHeaders());
    if (takesIdempotencyKey(op)) headers['Idempotent-Replayed'] = headerReference('IdempotentReplayed');
    if (op.hasEntityTag) headers['ETag'] = headerReference('ETag');
    const description = op.statuses.includes(201) && status === 200 ? 'It already existed' : SUCCESS[status];
    const reply = status === 202 ? op.waitingReply : op.reply;
    const response: JsonObject = { description, headers };
    if (typeof reply === 'string') {
      response['content'] = { [reply]: { schema: { type: 'string', format: 'binary' } } };
    } else if (reply) {
      response['content'] = {
        'application/json': { schema: this.schemas.reference(reply, 'reply'), ...exampleOf(reply) },
        ...(op.alsoCsv && { 'text/csv': { schema: { type: 'string' } } }),
      };
    }
    return response;
  }

  private unchanged(): JsonObject {
    const headers = { ETag: headerReference('ETag'), 'X-Request-Id': headerReference('RequestId') };
    return {
      description: 'The version of the object is listed in If-None-Match; no body',
      headers: { ...headers, ...rateLimitHeaders() },
    };
  }

  private refused(status: number, codes: ErrorCode[]): JsonObject {
    const name = codes.map(pascalCase).join('Or');
    if (!this.errors.has(name)) this.errors.set(name, this.errorResponse(status, codes));
    return { $ref: `#/components/responses/${name}` };
  }

  private errorResponse(status: number, codes: ErrorCode[]): JsonObject {
    const headers: JsonObject = { 'X-Request-Id': headerReference('RequestId') };
    if (status === 401) headers['WWW-Authenticate'] = headerReference('WwwAuthenticate');
    if (status === 429 || status === 502 || status === 503)
      headers['Retry-After'] = headerReference('RetryAfter');
    if (status === 429) Object.assign(headers, rateLimitHeaders());
    const examples = codes.map((code) => [code, { value: refusalOf(code) }]);
    return {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}.`).join('\n\n'),
      headers,
      content: {
        'application/json': {
          schema: this.schemas.reference(ErrorBody, 'reply'),
          examples: Object.fromEntries(examples) as JsonObject,
        },
      },
    };
  }
}

function refusalOf(code: ErrorCode): ErrorBody {
  const body: ErrorBody = { error: code, message: `${ERRORS[code].meaning}.` };
  if (code !== 'invalid_request') return body;
  const [field, message] = ['items[0].qty', 'must be an integer'];
  return { error: code, message: `${field}: ${message}`, details: [{ field, message }] };
}

function pascalCase(code: ErrorCode): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Every error code of the operation, in the order of the error table: general rules plus its own `refuses`. */
export function refusalsOf(op: Operation): ErrorCode[] {
  const names = pathParameters(op.path);
  const connector = op.access === 'connector';
  const scoped = isScope(op.access);
  const may = new Set<ErrorCode>([
    'invalid_request',
    'unauthorized',
    'not_acceptable',
    'rate_limited',
    'internal_error',
  ]);
  const add = (when: boolean, ...codes: ErrorCode[]): void => {
    if (when) for (const code of codes) may.add(code);
  };
  add(scoped, 'insufficient_scope', 'service_unavailable', 'timeout');
  add(scoped && names.includes('orgId'), 'forbidden');
  add(connector, 'not_found', 'core_unreachable');
  add(
    names.some((name) => name !== 'orgId'),
    'not_found',
  );
  add(takesIdempotencyKey(op), 'idempotency_in_progress', 'idempotency_key_reused');
  add(takesPrecondition(op, 'If-Match'), 'precondition_failed');
  add(op.body !== null, 'payload_too_large', 'unsupported_media_type');
  add(true, ...op.refuses);
  return ERROR_CODES.filter((code) => may.has(code));
}

/** The base of all errors of this client: an answer that is not a success, or no answer at all. */
export class OffizinError extends Error {
  override readonly name: string = 'OffizinError';

  constructor(
    /** HTTP status of the answer; 0 when there was no answer. */
    readonly status: number,
    /** Stable code, such as `invalid_request`; decide by this or by the class, never by the message. */
    readonly code: string,
    message: string,
    /** Every problem of a 400, by field. */
    readonly details: readonly { field: string; message: string }[] = [],
    /** Finds the request in the server's logs. */
    readonly requestId: string | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** 400, 413, 415: the request itself is wrong; `details` names each field. */
export class Validation extends OffizinError {
  override readonly name = 'Validation';
}

/** 401: the key is wrong, expired or revoked. */
export class Unauthorized extends OffizinError {
  override readonly name = 'Unauthorized';
}

/** 403: the key lacks the scope or the organization. */
export class Forbidden extends OffizinError {
  override readonly name = 'Forbidden';
}

/** 404: the organization has no such object. */
export class NotFound extends OffizinError {
  override readonly name = 'NotFound';
}

/** 409 and 422: the request contradicts the present state; `code` says how. */
export class Conflict extends OffizinError {
  override readonly name: string = 'Conflict';
}

/**
 * 409 `invalid_transition`: the status of the order allows no such step; `next_statuses` of the order lists those that
 * it allows.
 */
export class InvalidTransition extends Conflict {
  override readonly name = 'InvalidTransition';
}

/** 409 `out_of_stock`. */
export class OutOfStock extends Conflict {
  override readonly name = 'OutOfStock';
}

/** 412: the object has changed since it was read (`ifMatch`). */
export class PreconditionFailed extends OffizinError {
  override readonly name = 'PreconditionFailed';
}

/** 429, after the retries. */
export class RateLimited extends OffizinError {
  override readonly name = 'RateLimited';
  /** How long the server asked to wait; null when it did not say. */
  retryAfterSeconds: number | null = null;
}

/** 5xx, after the retries. */
export class ServerError extends OffizinError {
  override readonly name = 'ServerError';
}

/** No answer, after the retries: no connection, or it broke. `cause` is the error of fetch. */
export class Connection extends OffizinError {
  override readonly name = 'Connection';

  constructor(cause: unknown) {
    super(0, 'connection_failed', 'The server could not be reached.', [], null, { cause });
  }
}

/** The call took longer than `timeoutMs`, retries included. Whether it took effect is unknown. */
export class Timeout extends OffizinError {
  override readonly name = 'Timeout';

  constructor(readonly timeoutMs: number) {
    super(0, 'client_timeout', `No answer within ${timeoutMs} ms.`);
  }
}

const BY_CODE: Partial<Record<string, typeof OffizinError>> = {
  invalid_transition: InvalidTransition,
  out_of_stock: OutOfStock,
};
const BY_STATUS: Partial<Record<number, typeof OffizinError>> = {
  400: Validation,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  412: PreconditionFailed,
  413: Validation,
  415: Validation,
  422: Conflict,
  429: RateLimited,
};

/** The error of an answer whose body may be anything: a proxy in between answers in its own way. */
export function errorOf(response: Response, body: unknown): OffizinError {
  const { error, message, details } =
    typeof body === 'object' && body !== null ? (body as Partial<Body>) : {};
  const code = typeof error === 'string' ? error : 'unknown';
  const { status } = response;
  const ErrorClass = BY_CODE[code] ?? BY_STATUS[status] ?? (status >= 500 ? ServerError : OffizinError);
  const result = new ErrorClass(
    status,
    code,
    typeof message === 'string' ? message : `The server answered ${status}.`,
    Array.isArray(details) ? details : [],
    response.headers.get('x-request-id'),
  );
  if (result instanceof RateLimited) result.retryAfterSeconds = retryAfterSeconds(response);
  return result;
}

/** `Retry-After`, in seconds or as a date; null without one. */
export function retryAfterSeconds(response: Response): number | null {
  const text = response.headers.get('retry-after');
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

interface Body {
  error: unknown;
  message: unknown;
  details: { field: string; message: string }[];
}

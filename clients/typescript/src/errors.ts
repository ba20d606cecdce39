/** What an Offizin server answers instead of a success: the contract's error body with its status. */
export class OffizinError extends Error {
  override readonly name = 'OffizinError';

  constructor(
    readonly status: number,
    /** Stable code, such as `invalid_request`; decide by this, never by the message. */
    readonly code: string,
    message: string,
    /** Every problem of a 400, by field. */
    readonly details: readonly { field: string; message: string }[],
    /** Finds the request in the server's logs. */
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

/** The error of an answer whose body may be anything: a proxy in between answers in its own way. */
export function errorOf(response: Response, body: unknown): OffizinError {
  const { error, message, details } =
    typeof body === 'object' && body !== null ? (body as Partial<Body>) : {};
  return new OffizinError(
    response.status,
    typeof error === 'string' ? error : 'unknown',
    typeof message === 'string' ? message : `The server answered ${response.status}.`,
    Array.isArray(details) ? details : [],
    response.headers.get('x-request-id'),
  );
}

interface Body {
  error: unknown;
  message: unknown;
  details: { field: string; message: string }[];
}

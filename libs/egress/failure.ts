/**
 * The receiver may have acted after `timeout`, `reset` and `protocol`. Customers see the messages, so these contain no
 * addresses or internal host names.
 */
import { errors } from 'undici';

export type FailureKind = 'refused_by_policy' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol';

export class EgressFailure extends Error {
  override readonly name: string = 'EgressFailure';

  constructor(
    readonly kind: FailureKind,
    message: string,
    /** From `send` to the failure; 0 for a failure before sending. */
    readonly durationMs = 0,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** A retry fails the same way. */
export class EgressRefused extends EgressFailure {
  override readonly name = 'EgressRefused';

  constructor(message: string, durationMs = 0) {
    super('refused_by_policy', message, durationMs);
  }
}

/**
 * `requestStarted` decides whether the receiver may have acted; the code cannot, because ECONNRESET occurs before and
 * after the start.
 */
export function failureOf(error: unknown, requestStarted: boolean, durationMs: number): EgressFailure {
  if (error instanceof EgressRefused) return new EgressRefused(error.message, durationMs);
  if (error instanceof EgressFailure) {
    return new EgressFailure(error.kind, error.message, durationMs, { cause: error.cause });
  }
  if (!requestStarted) {
    return new EgressFailure('connect', `No connection could be made${codeSuffix(error)}.`, durationMs, {
      cause: error,
    });
  }
  if (isProtocolError(error)) {
    return new EgressFailure('protocol', 'The answer is not valid HTTP/1.1.', durationMs, { cause: error });
  }
  return new EgressFailure('reset', 'The connection was closed before the answer was complete.', durationMs, {
    cause: error,
  });
}

/** " (ECONNREFUSED)" or "". An error's code is safe to show; its message may contain an address. */
export function codeSuffix(error: unknown): string {
  const code = codeOf(error);
  return code === undefined ? '' : ` (${code})`;
}

function isProtocolError(error: unknown): boolean {
  if (error instanceof errors.SocketError) {
    // An unrequested 100 and a protocol switch arrive as socket errors.
    return error.message === 'bad response' || error.message === 'bad upgrade';
  }
  return (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  );
}

// Not `instanceof Error`: inside a vm context, errors of Node's core belong to another realm.
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

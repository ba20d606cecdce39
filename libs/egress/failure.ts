/**
 * Why an outbound request brought no answer. This file alone tells the kinds apart.
 *
 * | kind              | meaning                                                       | may the receiver have acted? |
 * |-------------------|---------------------------------------------------------------|------------------------------|
 * | refused_by_policy | we did not connect, on purpose                                | no                           |
 * | dns               | the host name has no address, or the resolver did not answer  | no                           |
 * | connect           | nobody accepted the connection                                | no                           |
 * | tls               | no secure connection: certificate, name, protocol             | no                           |
 * | timeout           | the total deadline passed                                     | yes                          |
 * | reset             | the connection ended before the answer did                    | yes                          |
 * | protocol          | the answer was not HTTP/1.1, or its headers were too large    | yes                          |
 *
 * Messages may be shown to the customer who owns the target: they name neither addresses nor inner hosts.
 */
import { errors } from 'undici';

export type FailureKind = 'refused_by_policy' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol';

export class EgressFailure extends Error {
  override readonly name: string = 'EgressFailure';

  constructor(
    readonly kind: FailureKind,
    message: string,
    /** From `send` to the failure; 0 where a failure was made before anything was sent. */
    readonly durationMs = 0,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The policy forbids the target or the request: not a fault of the network, and a repetition meets it again. */
export class EgressRefused extends EgressFailure {
  override readonly name = 'EgressRefused';

  constructor(message: string, durationMs = 0) {
    super('refused_by_policy', message, durationMs);
  }
}

/**
 * Turns whatever undici or the connector reports into one failure. `requestStarted` is what separates "nobody
 * was there" from "it may have happened"; an error code cannot, ECONNRESET occurs on both sides.
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

/** " (ECONNREFUSED)" or nothing. The code of an error is safe to show, its message may hold an address. */
export function codeSuffix(error: unknown): string {
  const code = codeOf(error);
  return code === undefined ? '' : ` (${code})`;
}

function isProtocolError(error: unknown): boolean {
  if (error instanceof errors.SocketError) {
    // An interim 100 that nobody asked for and a switch of protocols arrive as socket errors.
    return error.message === 'bad response' || error.message === 'bad upgrade';
  }
  return (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  );
}

// Not `instanceof Error`: errors of Node's core belong to another realm wherever code runs in a vm context.
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

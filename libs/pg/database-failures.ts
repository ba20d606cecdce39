import { TooSlow, Unreachable } from '@offizin/contracts/errors';
import { databaseErrors, errorKind } from './database-metrics';

/** Source: Node.js, libuv. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);
/** The server shuts down, starts or has no free connection. Source: PostgreSQL, appendix A. */
const SERVER_CODES = /^(08...|53300|57P0[1-3])$/;
const QUERY_CANCELED = '57014';
/** Disk full, out of memory, I/O error: the statement changed nothing. */
const EXHAUSTED_CODES = /^(53100|53200|53400|58030)$/;
/** Messages of node-postgres and `Transaction` for a lost or slow connection. */
const CLIENT_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|not queryable|transaction timeout exceeded/i;

/** Counts a failed statement and converts its error. */
export function failed(error: unknown): unknown {
  const converted = convertDriverError(error);
  databaseErrors.inc({
    kind: converted === error || converted instanceof TooSlow ? errorKind(error) : 'unreachable',
  });
  return converted;
}

/**
 * `Unreachable` (the change may have happened) if the database is unavailable, `TooSlow` for a cancelled statement.
 * Returns every other error unchanged.
 */
export function convertDriverError(error: unknown): unknown {
  if (!(error instanceof Error) && !(typeof error === 'object' && error !== null && 'message' in error))
    return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === QUERY_CANCELED) return new TooSlow(error);
  if (EXHAUSTED_CODES.test(code)) {
    const message = 'The database is out of space or memory: nothing was changed. Try again in a moment.';
    return new Unreachable('service_unavailable', message, error);
  }
  const isUnavailable =
    NETWORK_CODES.has(code) || SERVER_CODES.test(code) || CLIENT_MESSAGES.test(String(error.message));
  if (!isUnavailable) return error;
  return new Unreachable('service_unavailable', 'The database is unavailable. Try again in a moment.', error);
}

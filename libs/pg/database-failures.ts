import { TooSlow, Unreachable } from '@offizin/contracts/errors';
import { databaseErrors, errorKind } from './database-metrics';

/** Codes of connections that fail: refused, reset, unknown host. Source: Node.js, libuv. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);
/** The server is going down, coming up, or full; or it cancelled the statement. Source: PostgreSQL, appendix A. */
const SERVER_CODES = /^(08...|53300|57P0[1-3])$/;
const QUERY_CANCELED = '57014';
/** No space on the disk, no memory, an error of the disk: the server refused the statement and changed nothing. */
const EXHAUSTED_CODES = /^(53100|53200|53400|58030)$/;
/** What node-postgres says itself of a connection that is gone, or does not answer in time. */
const CLIENT_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|not queryable|transaction timeout exceeded/i;

/** Counts a failed statement. An unreachable database and a slow statement get an error of their kind. */
export function failed(error: unknown): unknown {
  const told = awayOr(error);
  databaseErrors.inc({ kind: told === error || told instanceof TooSlow ? errorKind(error) : 'unreachable' });
  return told;
}

/**
 * `Unreachable` for an error that says the database is unavailable. The caller gets a 503 that says to try again, and that
 * the change may have happened. `TooSlow` for a statement that was cancelled. Every other error as it is.
 */
export function awayOr(error: unknown): unknown {
  if (!(error instanceof Error) && !(typeof error === 'object' && error !== null && 'message' in error))
    return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === QUERY_CANCELED) return new TooSlow(error);
  if (EXHAUSTED_CODES.test(code)) {
    const message = 'The database has no room to write: nothing was changed. Try again in a moment.';
    return new Unreachable('service_unavailable', message, error);
  }
  const isAway =
    NETWORK_CODES.has(code) || SERVER_CODES.test(code) || CLIENT_MESSAGES.test(String(error.message));
  if (!isAway) return error;
  return new Unreachable(
    'service_unavailable',
    'The database is not there now. Try again in a moment.',
    error,
  );
}

import { DatabaseError, type Pool } from 'pg';
import { Counter, Gauge } from 'prom-client';
import { TooSlow, Unreachable } from '@offizin/contracts/calls/errors';
import { liveGauge } from '@offizin/runtime/sampled-gauges';

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

const databaseErrors = new Counter({
  name: 'offizin_database_errors_total',
  help: 'Statements without a result: unreachable, client, or sqlstate_ with the class of the error code',
  labelNames: ['kind'] as const,
});
databaseErrors.inc({ kind: 'unreachable' }, 0);

/** Class of the SQLSTATE. Source: PostgreSQL, appendix A. */
function errorKind(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? `sqlstate_${code.slice(0, 2)}` : 'client';
}

export function observePool(pool: Pool): void {
  new Gauge({
    name: 'offizin_database_pool_connections',
    help: 'Connections of the pool, by state: in_use or idle',
    labelNames: ['state'] as const,
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  liveGauge(
    'offizin_database_pool_size',
    'Connections that the pool may open at most',
    () => pool.options.max,
  );
  liveGauge(
    'offizin_database_pool_waiting',
    'Statements that wait for a connection of the pool',
    () => pool.waitingCount,
  );
}

/** Data exception, integrity, program limit. Source: PostgreSQL, appendix A. */
const DATA_CLASSES = /^(22|23|54)/;

/**
 * The statement failed because of its data, so a retry fails again. Errors of the server, locks, rights and missing
 * tables end without a change of the data.
 */
export function isRefusedData(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && DATA_CLASSES.test(error.code ?? '');
}

import { Unreachable } from '@offizin/contracts/errors';

/**
 * Reports read much and are in no hurry, orders are: at most so many reports run at a time in one process, a quarter of
 * the usual pool, and one that the database breaks off (5 s, libs/pg/database.ts) is a time-out, not a failure.
 */
export const MAX_RUNNING_REPORTS = 4;

export class ReportLimits {
  private running = 0;

  /** Throws `Unreachable`: service_unavailable when too many run already, timeout when it took too long. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.running >= MAX_RUNNING_REPORTS) {
      throw new Unreachable('service_unavailable', 'Too many reports are being made: repeat in a moment.');
    }
    this.running += 1;
    try {
      return await read();
    } catch (error) {
      if (!isTimeout(error)) throw error;
      throw new Unreachable('timeout', 'The report took too long: ask for a shorter span, or for one shop.');
    } finally {
      this.running -= 1;
    }
  }
}

const QUERY_CANCELED = '57014';

/** The server breaks a statement off, or node-postgres, which has no code for it, stops waiting. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === QUERY_CANCELED) || error.message === 'Query read timeout';
}

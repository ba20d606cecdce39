import { setTimeout as delay } from 'node:timers/promises';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { errorFields, log } from '@offizin/runtime/log';
import { convertDriverError } from './database-failures';

const LIMIT_MS = 60_000;
const PAUSE_MS = 500;

/**
 * Repeats the work of a start while its database cannot be reached: it may start later than its service, and Compose
 * starts no migration again. The work must be repeatable. Throws its last error after the limit; other errors are not
 * retried.
 */
export async function whenReachable<T>(work: () => Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  const endsAtMs = performance.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(convertDriverError(error) instanceof Unreachable) || performance.now() > endsAtMs) throw error;
      log.warn(errorFields(error), 'database not reached yet');
      await delay(PAUSE_MS);
    }
  }
}

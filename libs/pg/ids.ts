import { randomInt } from 'node:crypto';
import { v7, validate } from 'uuid';
import { databaseNowMs } from './database-clock';

/** Ids keep rising while the clock steps back by at most this. */
const BRIDGED_STEP_MS = 1_000;
/** In the lower half of 32 bits, so that it does not overflow within a millisecond. */
const FIRST_SEQUENCE_LIMIT = 2 ** 31;

let lastMs = 0;
let sequence = 0;

/**
 * UUIDv7 by the database's time. Ids follow a clock that was set back; the generator of `uuid` alone would stay at the
 * latest time.
 */
export function newId(): string {
  const nowMs = databaseNowMs();
  if (nowMs > lastMs || nowMs < lastMs - BRIDGED_STEP_MS) {
    lastMs = nowMs;
    sequence = randomInt(FIRST_SEQUENCE_LIMIT);
  } else {
    sequence += 1;
  }
  return v7({ msecs: lastMs, seq: sequence });
}

/** Other ids are answered as unknown and never reach SQL. */
export function isId(text: string): boolean {
  return validate(text);
}

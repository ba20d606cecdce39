import { randomInt } from 'node:crypto';
import { v7, validate } from 'uuid';
import { databaseNowMs } from './database-clock';

/** Ids rise within a millisecond, and while the clock goes back by no more than this. */
const BRIDGED_STEP_MS = 1_000;
/** The sequence has 32 bits; beginning in the lower half, it never ends within one millisecond. */
const FIRST_SEQUENCE_LIMIT = 2 ** 31;

let lastMs = 0;
let sequence = 0;

/**
 * A new id: UUIDv7, time-ordered, so that rows of one time stand together in an index. Its time is that of the database
 * (database-clock.ts). After that clock has gone back, ids follow it. The generator of `uuid` alone stays at the latest
 * time that it has seen, until the process ends.
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

/** True for text that can be an id; anything else is answered like an unknown one, before SQL sees it. */
export function isId(text: string): boolean {
  return validate(text);
}

/**
 * Loaded by `node --require` into a process under test: moves its wall clock by CHAOS_CLOCK_SHIFT_MS. With
 * CHAOS_CLOCK_FILE the clock jumps while the process runs, whenever the number in that file changes.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const READ_EVERY_MS = 20;

let shiftMs = Number(process.env.CHAOS_CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;
const realNow = Date.now;

class ShiftedDate extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(realNow() + shiftMs);
    else super(...values);
  }

  static now() {
    return realNow() + shiftMs;
  }
}

globalThis.Date = ShiftedDate;

/** Follows the file, and confirms each jump in a second file. */
function follow(file) {
  const wanted = Number(readFileSync(file, 'utf8'));
  if (wanted === shiftMs) return;
  shiftMs = wanted;
  if (isMainThread) writeFileSync(`${file}.reached`, String(shiftMs));
}

const file = process.env.CHAOS_CLOCK_FILE;
if (file !== undefined) setInterval(follow, READ_EVERY_MS, file).unref();

/** Loaded by `node --require` into a process under test: moves its wall clock by CHAOS_CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env.CHAOS_CLOCK_SHIFT_MS ?? 0);
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

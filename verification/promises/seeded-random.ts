/** Randomness that a printed seed repeats (mulberry32 over an FNV-1a hash of the seed's text). */
export class SeededRandom {
  private state: number;

  constructor(readonly seed: string) {
    this.state = 2_166_136_261;
    for (const character of seed) {
      this.state = Math.imul(this.state ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
    }
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  between(lowest: number, highest: number): number {
    return lowest + Math.floor(this.next() * (highest - lowest + 1));
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.between(0, values.length - 1)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }
}

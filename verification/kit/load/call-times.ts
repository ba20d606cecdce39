import type { CallAnswer } from './calls';
import { percentile } from './tally';

/** How long the calls of one caller took, by kind, and which of them failed. */
export class CallTimes {
  readonly failures: string[] = [];
  private readonly byKind = new Map<string, number[]>();

  /** Failures are answers of 400 and above, and calls without an answer. */
  note(kind: string, { status, durationMs, body }: CallAnswer): void {
    this.add(kind, durationMs);
    if (status === null || status >= 400) this.failures.push(`${kind} ${status} ${body.slice(0, 100)}`);
  }

  add(kind: string, ms: number): void {
    const times = this.byKind.get(kind);
    if (times) times.push(ms);
    else this.byKind.set(kind, [ms]);
  }

  get kinds(): string[] {
    return [...this.byKind.keys()];
  }

  /** Of all kinds. */
  get count(): number {
    return this.kinds.reduce((sum, kind) => sum + this.of(kind).length, 0);
  }

  of(kind: string): readonly number[] {
    return this.byKind.get(kind) ?? [];
  }

  p99Ms(kind: string): number {
    return percentile(this.of(kind), 0.99);
  }
}

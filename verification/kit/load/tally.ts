import type { Job, LoadResult } from './job';

/** Collects the answers of one block. */
export class Tally {
  private readonly latenciesMs: number[] = [];
  private readonly statuses: Record<string, number> = {};
  private readonly startedAtMs = performance.now();
  private successes = 0;
  private sent = 0;

  constructor(
    private readonly job: Pick<Job, 'durationMs' | 'count'>,
    private readonly ended?: AbortSignal,
  ) {}

  /** True when the block is over: no further request is sent. */
  get isOver(): boolean {
    if (this.ended?.aborted) return true;
    if (this.job.count !== undefined) return this.sent >= this.job.count;
    return performance.now() - this.startedAtMs >= (this.job.durationMs ?? Infinity);
  }

  /** How many were sent before this one. */
  countSent(): number {
    return this.sent++;
  }

  add(status: string | number, startedAtMs: number): void {
    const key = String(status);
    this.statuses[key] = (this.statuses[key] ?? 0) + 1;
    if (key !== 'ok' && !key.startsWith('2')) return;
    this.successes += 1;
    this.latenciesMs.push(performance.now() - startedAtMs);
  }

  result(): LoadResult {
    const elapsedMs = performance.now() - this.startedAtMs;
    const sorted = Float64Array.from(this.latenciesMs).sort();
    return {
      successes: this.successes,
      statuses: this.statuses,
      elapsedMs,
      perSecond: (this.successes * 1000) / elapsedMs,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      maxMs: sorted.at(-1) ?? Number.NaN,
      sent: this.sent,
    };
  }
}

/** The value below which the given share of the values lies (nearest rank); NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  return quantile(Float64Array.from(values).sort(), share);
}

/** The same of values that are sorted. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

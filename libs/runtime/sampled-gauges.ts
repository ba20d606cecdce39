import { Counter, Gauge } from 'prom-client';
import { errorFields, log } from './log';
import { registry } from './metrics';

/** However often /metrics is read, database and broker are asked no more often than this. */
export const SAMPLE_EVERY_MS = 15_000;
/** A question that takes longer leaves the last figures; a scrape must not hang with the database. */
const ANSWER_WITHIN_MS = 2_000;

export const samplesFailed = new Counter({
  name: 'offizin_metric_samples_failed_total',
  help: 'Questions to database or broker for a figure that got no answer',
  labelNames: ['sample'] as const,
  registers: [registry],
});

export interface SampledGauge<Sample> {
  name: string;
  help: string;
  /** null when there is no such figure now: the metric then has no value. */
  value: (sample: Sample) => number | null;
}

/**
 * Gauges that cost a question. It is asked when somebody reads /metrics, and only if the last answer is 15 s old: never
 * on the way of a request, and not at all where nobody looks. Without an answer the gauges have no value, which is not 0.
 */
export function sampleGauges<Sample>(
  sample: string,
  ask: () => Promise<Sample>,
  gauges: readonly SampledGauge<Sample>[],
  nowMs: () => number = () => performance.now(),
): void {
  samplesFailed.inc({ sample }, 0);
  const sampler = new Sampler(sample, ask, nowMs);
  for (const { name, help, value } of gauges) {
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const latest = await sampler.current();
        const figure = latest === null ? null : value(latest);
        if (figure === null) gauge.remove();
        else gauge.set(figure);
      },
    });
  }
}

/** Figures that the process has at hand, read at each scrape. */
export function liveGauge(name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

class Sampler<Sample> {
  private askedAtMs = -Infinity;
  private asking: Promise<void> = Promise.resolve();
  private latest: Sample | null = null;

  constructor(
    private readonly name: string,
    private readonly ask: () => Promise<Sample>,
    private readonly nowMs: () => number,
  ) {}

  async current(): Promise<Sample | null> {
    if (this.nowMs() - this.askedAtMs >= SAMPLE_EVERY_MS) {
      this.askedAtMs = this.nowMs();
      this.asking = this.take();
    }
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<void>((resolve) => (timer = setTimeout(resolve, ANSWER_WITHIN_MS)));
    await Promise.race([this.asking, overdue]).finally(() => clearTimeout(timer));
    return this.latest;
  }

  private async take(): Promise<void> {
    try {
      this.latest = await this.ask();
    } catch (error) {
      this.latest = null;
      samplesFailed.inc({ sample: this.name });
      log.debug({ sample: this.name, ...errorFields(error) }, 'figure not to be had');
    }
  }
}

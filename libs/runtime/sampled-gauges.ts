import { Counter, Gauge } from 'prom-client';
import { errorFields, log } from './log';

export const SAMPLE_EVERY_MS = 15_000;
/** A slower query leaves the last values; a scrape must not hang with the database. */
const ANSWER_WITHIN_MS = 2_000;

export const samplesFailed = new Counter({
  name: 'offizin_metric_samples_failed_total',
  help: 'Failed queries to database or broker for the value of a metric',
  labelNames: ['sample'] as const,
});

export interface SampledGauge<Sample> {
  name: string;
  help: string;
  /** null: the metric has no value. */
  value: (sample: Sample) => number | null;
}

/**
 * Gauges that need a query; a scrape runs it when the last sample is old. After a failure they have no value, rather
 * than 0.
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
      async collect() {
        const latest = await sampler.current();
        const figure = latest === null ? null : value(latest);
        if (figure === null) gauge.remove();
        else gauge.set(figure);
      },
    });
  }
}

export function liveGauge(name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    collect() {
      this.set(value());
    },
  });
}

class Sampler<Sample> {
  private queriedAtMs = -Infinity;
  private asking: Promise<void> = Promise.resolve();
  private latest: Sample | null = null;

  constructor(
    private readonly name: string,
    private readonly ask: () => Promise<Sample>,
    private readonly nowMs: () => number,
  ) {}

  async current(): Promise<Sample | null> {
    if (this.nowMs() - this.queriedAtMs >= SAMPLE_EVERY_MS) {
      this.queriedAtMs = this.nowMs();
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
      log.debug({ sample: this.name, ...errorFields(error) }, 'metric unavailable');
    }
  }
}

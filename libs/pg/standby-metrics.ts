import { Counter } from 'prom-client';
import { registry } from '@offizin/runtime/metrics';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';

/**
 * `standby`: it answered. All others went to the primary: the standby was `behind`, `away`, `unfit` (not a standby of this
 * database), its statement `failed`, or it is `resting` after one of these.
 */
const READ_OUTCOMES = ['standby', 'behind', 'away', 'unfit', 'failed', 'resting'] as const;
export type ReadOutcome = (typeof READ_OUTCOMES)[number];

export const standbyReads = new Counter({
  name: 'offizin_standby_reads_total',
  help: 'Reads that a standby may answer: standby, or why the primary did: behind, away, unfit, failed or resting',
  labelNames: ['outcome'] as const,
  registers: [registry],
});

export function observeStandby(lagBytes: () => Promise<number>): void {
  for (const outcome of READ_OUTCOMES) standbyReads.inc({ outcome }, 0);
  sampleGauges('standby', lagBytes, [
    {
      name: 'offizin_standby_lag_bytes',
      help: "Part of the primary's log that the standby has not repeated yet",
      value: (bytes) => bytes,
    },
  ]);
}

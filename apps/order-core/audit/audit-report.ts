import { Counter } from 'prom-client';
import type { Sql } from '@offizin/pg/database';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import { sealBacklog } from './audit-seals.store';

export const auditVerifications = new Counter({
  name: 'offizin_audit_verifications_total',
  help: 'Checks of the audit log, by what they found: ok or broken',
  labelNames: ['status'] as const,
});
// A counter must exist before its first event: alert rules do not see an increase from a missing series.
for (const status of ['ok', 'broken']) auditVerifications.inc({ status }, 0);

/** Backlog of the sealer; every replica reports the same values. */
export function observeSeals(sql: Sql): void {
  sampleGauges('audit', () => sealBacklog(sql), [
    {
      name: 'offizin_audit_unsealed_entries',
      help: 'Entries of the audit log that wait for their seal, counted up to 10000',
      value: ({ entries }) => entries,
    },
    {
      name: 'offizin_audit_oldest_unsealed_age_seconds',
      help: 'Time since the oldest of them was written; 0 where there is none',
      value: ({ oldest_age_seconds: age }) => age ?? 0,
    },
  ]);
}

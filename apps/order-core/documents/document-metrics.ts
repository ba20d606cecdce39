import { Counter } from 'prom-client';
import type { Sql } from '@offizin/pg/database';
import { registry } from '@offizin/runtime/metrics';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import { storeBacklog } from './loose-objects.store';

const CALLS = ['read', 'write', 'delete'] as const;
export type StoreCall = (typeof CALLS)[number];
const OUTCOMES = ['ok', 'unreachable', 'refused', 'failed', 'missing', 'altered'] as const;

export const storeCalls = new Counter({
  name: 'offizin_document_store_calls_total',
  help: 'Calls of the document store by what they do, and how they ended',
  labelNames: ['call', 'outcome'] as const,
  registers: [registry],
});
// A counter must exist before its first event: alert rules do not see an increase from a missing series.
for (const call of CALLS) for (const outcome of OUTCOMES) storeCalls.inc({ call, outcome }, 0);

/** Every replica reports the same values. `afterDays` is null where none moves. */
export function observeDocumentStore(sql: Sql, afterDays: number | null): void {
  sampleGauges('document store', () => storeBacklog(sql, afterDays), [
    {
      name: 'offizin_documents_to_move',
      help: 'Documents that may move to the document store and have not, counted up to 1000',
      value: ({ to_move: documents }) => documents,
    },
    {
      name: 'offizin_documents_in_store',
      help: 'Documents in the document store, counted up to 100000',
      value: ({ in_store: documents }) => documents,
    },
    {
      name: 'offizin_document_deletion_oldest_age_seconds',
      help: 'Time since the oldest object that is to be deleted lost its document; 0 where there is none',
      value: ({ deletion_age_seconds: age }) => age ?? 0,
    },
  ]);
}

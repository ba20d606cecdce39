import type { Pool } from 'pg';
import { Counter, Gauge } from 'prom-client';
import { registry } from '@offizin/runtime/metrics';
import { liveGauge } from '@offizin/runtime/sampled-gauges';

export const databaseErrors = new Counter({
  name: 'offizin_database_errors_total',
  help: 'Statements without a result: unreachable, client, or sqlstate_ with the class of the error code',
  labelNames: ['kind'] as const,
  registers: [registry],
});
databaseErrors.inc({ kind: 'unreachable' }, 0);

/** Class of the SQLSTATE. Source: PostgreSQL, appendix A. */
export function errorKind(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? `sqlstate_${code.slice(0, 2)}` : 'client';
}

export function observePool(pool: Pool): void {
  new Gauge({
    name: 'offizin_database_pool_connections',
    help: 'Connections of the pool, by state: in_use or idle',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  liveGauge(
    'offizin_database_pool_size',
    'Connections that the pool may open at most',
    () => pool.options.max,
  );
  liveGauge(
    'offizin_database_pool_waiting',
    'Statements that wait for a connection of the pool',
    () => pool.waitingCount,
  );
}

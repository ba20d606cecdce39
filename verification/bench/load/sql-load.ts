import { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { type LoadResult, UNIQUE, uniqueText } from '@offizin/testkit/load/job';
import { Tally } from '@offizin/testkit/load/tally';
import { type SqlJob, UUID } from './raw-jobs';

const pools = new Map<string, Pool>();

/** The raw limit of a database operation: one prepared statement per request through node-postgres, nothing else. */
export async function runSql(job: SqlJob): Promise<LoadResult> {
  const pool = poolOf(job);
  // Outside the measured time: connecting, and preparing on each connection.
  await Promise.all(Array.from({ length: job.connections }, async () => pool.query('SELECT 1')));
  const tally = new Tally(job);
  const runCaller = async (): Promise<void> => {
    while (!tally.isOver) {
      const values = valuesOf(job, tally.countSent());
      const startedAtMs = performance.now();
      const { rows } = await pool.query<Record<string, unknown>>({ ...job.statement, values });
      if (job.stringify) JSON.stringify(rows);
      tally.add('ok', startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: job.callers }, runCaller));
  return tally.result();
}

function poolOf({ databaseUrl, connections }: SqlJob): Pool {
  const key = `${connections} ${databaseUrl}`;
  const known = pools.get(key);
  if (known) return known;
  const pool = new Pool({ connectionString: databaseUrl, max: connections, idleTimeoutMillis: 0 });
  pools.set(key, pool);
  return pool;
}

function valuesOf(job: SqlJob, place: number): unknown[] {
  const values = job.values[(job.firstIndex + place) % job.values.length] ?? [];
  const number = job.firstNumber + place;
  return values.map((value) => {
    if (typeof value !== 'string') return value;
    if (value === UUID) return uuidv7();
    return value.includes(UNIQUE) ? value.replaceAll(UNIQUE, uniqueText(number)) : value;
  });
}

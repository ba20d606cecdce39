import { Pool } from 'undici';
import type { LoadResult, PoolJob } from './job';
import { Tally } from './tally';

/** The raw limit of sending: one undici pool per origin, requests of the same length, answers read and dropped. */
export async function runPool(job: PoolJob): Promise<LoadResult> {
  const pools = job.origins.map((origin) => new Pool(origin, { connections: job.callers, pipelining: 1 }));
  const tally = new Tally(job);
  const runCaller = async (): Promise<void> => {
    while (!tally.isOver) {
      const place = tally.countSent();
      const startedAtMs = performance.now();
      const pool = pools[place % pools.length];
      if (!pool) throw new Error('a job without origins');
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: `/raw/${place}`,
        headers: job.headers,
        body: job.body,
      });
      await body.dump();
      tally.add(statusCode, startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: job.callers }, runCaller));
  await Promise.all(pools.map((pool) => pool.close()));
  return tally.result();
}

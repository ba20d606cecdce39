import { randomUUID } from 'node:crypto';
import { type ClientBase, Pool as Database } from 'pg';
import { Pool } from 'undici';
import { settingsOnConnect } from '@offizin/pg/database';
import type { LoadResult } from '@offizin/testkit/load/job';
import { Tally } from '@offizin/testkit/load/tally';
import { QUEUE_PLANS } from '../../../apps/webhook-worker/db/schema';
import type { QueueJob } from './raw-jobs';

/**
 * The raw limit of delivering from a table: leases of 400 rows, one undici pool per origin, and results written in
 * bulk: all that arrived during the last statement. No order, no fairness, no signature, no log. Leasing and writing
 * one by one is several times slower, so this is a careful sender without the product.
 */
const LEASE_ROWS = 400;
/** The next lease starts at this number of waiting rows, while others are sent. */
const LEASE_BELOW = 200;

const lease = {
  name: 'raw_lease',
  // Walks on from the last id: the cheapest way through a queue that only one process reads.
  text: `WITH due AS MATERIALIZED (
       SELECT id FROM bench_raw.deliveries
       WHERE id > $1 AND status = 'pending' AND lease_until IS NULL ORDER BY id LIMIT ${LEASE_ROWS} FOR UPDATE SKIP LOCKED
     )
     UPDATE bench_raw.deliveries d SET lease_token = $2, lease_until = now() + interval '1 minute'
     FROM due WHERE d.id = due.id
     RETURNING d.id, (SELECT e.body FROM bench_raw.events e WHERE e.id = d.event_id) AS body`,
};
const write = {
  name: 'raw_write',
  // The rows that the product writes: the delivery's, and one of the attempt.
  text: `WITH written AS (
       UPDATE bench_raw.deliveries d
       SET status = 'succeeded', queue = NULL, attempt_count = d.attempt_count + 1, last_attempt_at = now(),
         lease_token = NULL, lease_until = NULL
       WHERE d.id = ANY ($1::uuid[]) AND d.lease_token = $2
       RETURNING d.id, d.attempt_count
     )
     INSERT INTO bench_raw.attempts (delivery_id, number, started_at, duration_ms, status_code, failure, answer)
     SELECT id, attempt_count, now(), 1, 200, NULL, '' FROM written`,
};
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

interface Delivery {
  id: string;
  body: string;
}

export async function runQueue(job: QueueJob): Promise<LoadResult> {
  const queue = new Queue(job.databaseUrl);
  const pools = job.origins.map((origin) => new Pool(origin, { connections: job.callers, pipelining: 1 }));
  await queue.lease();
  const tally = new Tally({ count: Infinity });
  const runCaller = async (): Promise<void> => {
    for (let delivery = await queue.next(); delivery; delivery = await queue.next()) {
      const place = tally.countSent();
      const startedAtMs = performance.now();
      const pool = pools[place % pools.length];
      if (!pool) throw new Error('a job without origins');
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: `/raw/${place}`,
        headers: job.headers,
        body: delivery.body,
      });
      await body.dump();
      tally.add(statusCode, startedAtMs);
      queue.done(delivery.id);
    }
  };
  await Promise.all(Array.from({ length: job.callers }, runCaller));
  await queue.allWritten();
  const result = tally.result();
  await Promise.all([queue.close(), ...pools.map((pool) => pool.close())]);
  return result;
}

class Queue {
  private readonly database: Database;
  private readonly leaseToken = randomUUID();
  private waiting: Delivery[] = [];
  private finished: string[] = [];
  private lastId = BEFORE_ALL;
  private isEmpty = false;
  private leasing: Promise<void> | null = null;
  private writing: Promise<void> | null = null;

  constructor(databaseUrl: string) {
    const set = settingsOnConnect(QUEUE_PLANS);
    const onConnect = (client: ClientBase): void => void set(client);
    this.database = new Database({ connectionString: databaseUrl, max: 2, onConnect });
  }

  /** Undefined when all rows are leased and sent. */
  async next(): Promise<Delivery | undefined> {
    if (this.waiting.length < LEASE_BELOW && !this.isEmpty)
      this.leasing ??= this.lease().finally(() => (this.leasing = null));
    while (this.waiting.length === 0 && this.leasing) await this.leasing;
    return this.waiting.shift();
  }

  async lease(): Promise<void> {
    const { rows } = await this.database.query<Delivery>({
      ...lease,
      values: [this.lastId, this.leaseToken],
    });
    this.isEmpty = rows.length < LEASE_ROWS;
    for (const { id } of rows) if (id > this.lastId) this.lastId = id;
    this.waiting.push(...rows);
  }

  done(id: string): void {
    this.finished.push(id);
    this.writing ??= this.write().finally(() => (this.writing = null));
  }

  async allWritten(): Promise<void> {
    await this.writing;
  }

  async close(): Promise<void> {
    await this.database.end();
  }

  private async write(): Promise<void> {
    while (this.finished.length > 0)
      await this.database.query({ ...write, values: [this.finished.splice(0, LEASE_ROWS), this.leaseToken] });
  }
}

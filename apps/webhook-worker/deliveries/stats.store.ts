import {
  MAX_STATS_DELIVERIES,
  STATS_HOURS,
  type WebhookStats,
} from '@offizin/contracts/webhooks/webhook-health';
import { type Sql, statement } from '@offizin/pg/database';

interface CountRow {
  /** Null: of all hours. */
  hour: Date | null;
  delivered: number;
  failed: number;
  p50_ms: number | null;
  p95_ms: number | null;
  /** Where counting begins when there are more deliveries than are read. */
  cut_at: Date | null;
}

const HOUR_MS = 3_600_000;

const statsSql = statement<CountRow, [string, string, Date, number]>(
  'webhook_stats',
  // An attempt of the last hours belongs to a delivery whose last attempt is no older.
  `WITH recent AS MATERIALIZED (
     SELECT d.id, d.last_attempt_at FROM webhooks.deliveries d
     WHERE d.subscription_id = $2 AND d.org_id = $1 AND d.last_attempt_at >= $3
     ORDER BY d.last_attempt_at DESC LIMIT $4
   ), cut AS MATERIALIZED (
     SELECT CASE WHEN count(*) = $4 THEN min(last_attempt_at) END AS at FROM recent
   ), tried AS MATERIALIZED (
     SELECT date_trunc('hour', a.started_at, 'UTC') AS hour, a.duration_ms,
       coalesce(a.status_code BETWEEN 200 AND 299, false) AS is_taken
     FROM recent r JOIN webhooks.attempts a ON a.delivery_id = r.id
     WHERE a.started_at >= greatest($3, (SELECT at FROM cut))
   )
   SELECT hour, count(*) FILTER (WHERE is_taken)::int AS delivered,
     count(*) FILTER (WHERE NOT is_taken)::int AS failed,
     percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS p50_ms,
     percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) AS p95_ms,
     (SELECT at FROM cut) AS cut_at
   FROM tried GROUP BY GROUPING SETS ((hour), ())`,
);

/** The attempts of the last hours, up to the present one. */
export async function statsOf(
  sql: Sql,
  orgId: string,
  subscriptionId: string,
  nowMs: number,
): Promise<WebhookStats> {
  const firstMs = (Math.floor(nowMs / HOUR_MS) - STATS_HOURS + 1) * HOUR_MS;
  const rows = await sql.rows(statsSql, orgId, subscriptionId, new Date(firstMs), MAX_STATS_DELIVERIES);
  const byHour = new Map(rows.map((row) => [row.hour?.getTime() ?? null, row]));
  const whole = byHour.get(null);
  const hours = Array.from({ length: STATS_HOURS }, (_, index) => {
    const atMs = firstMs + index * HOUR_MS;
    return { hour: new Date(atMs).toISOString(), ...countsOf(byHour.get(atMs)) };
  });
  return { since: (whole?.cut_at ?? new Date(firstMs)).toISOString(), hours, ...countsOf(whole) };
}

function countsOf(row: CountRow | undefined): Omit<WebhookStats, 'since' | 'hours'> {
  const { delivered = 0, failed = 0, p50_ms = null, p95_ms = null } = row ?? {};
  return { delivered, failed, p50_ms, p95_ms };
}

/** Each open page polls the statistics of every endpoint, and one count reads thousands of rows. */
const FRESH_MS = 5_000;
/** Subscriptions whose count is stored. */
const MAX_COUNTS = 1_000;

interface StoredCount {
  countedAtMs: number;
  stats: Promise<WebhookStats>;
}

/** Shares one count of a subscription among all callers for a few seconds. A failed count is not stored. */
export class RecentStats {
  private readonly counts = new Map<string, StoredCount>();

  constructor(
    private readonly count: (orgId: string, subscriptionId: string) => Promise<WebhookStats>,
    private readonly nowMs = () => performance.now(),
  ) {}

  of(orgId: string, subscriptionId: string): Promise<WebhookStats> {
    const key = `${orgId} ${subscriptionId}`;
    const known = this.counts.get(key);
    if (known && this.nowMs() - known.countedAtMs < FRESH_MS) return known.stats;
    const stats = this.count(orgId, subscriptionId);
    const counted = { countedAtMs: this.nowMs(), stats };
    // Inserted again: the map is then in the order of the counts, the oldest first.
    this.counts.delete(key);
    this.counts.set(key, counted);
    stats.catch(() => {
      if (this.counts.get(key) === counted) this.counts.delete(key);
    });
    const [oldest] = this.counts.keys();
    if (this.counts.size > MAX_COUNTS && oldest !== undefined) this.counts.delete(oldest);
    return stats;
  }
}

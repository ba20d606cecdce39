import { eventually } from '@offizin/testkit/eventually';
import { submitUntilOk } from '../load/submitters';
import { History } from '../history/history';
import { some, verdict, type Verdict } from '../guarantee';
import { type LightTraffic, STOCK } from '../load/light-traffic';
import type { RecordingReceiver } from '../load/recording-receiver';
import type { Trial } from '../trial';

/** How far a stored or signed time may be from the right one. */
const LEEWAY_SECONDS = 30;
const REPLAYS = 200;
const SETTLED_WITHIN_MS = 30_000;

/** Judges rows at the end: stock, approvals, idempotency keys, and every time that a wrong clock could have set. */
export async function judgeTimes(
  trial: Trial,
  traffic: LightTraffic,
  receiver: RecordingReceiver,
  fault: string,
): Promise<Verdict> {
  const wrong: string[] = [];
  for (const adjustment of traffic.adjustments.slice(-REPLAYS)) {
    const { outcome, status } = await submitUntilOk(adjustment, { history: new History(null) });
    if (outcome !== 'ok') wrong.push(`replay: ${status}`);
  }
  const expected = `${traffic.approvals.length} approved, ${STOCK + traffic.adjustments.length} in stock`;
  await eventually(
    'stock and deliveries',
    async () => {
      const found = [await stockOf(trial, traffic), ...(await strangeTimes(trial))];
      if (found.length === 1 && found[0] === expected) return true;
      throw new Error(found.join('; '));
    },
    SETTLED_WITHIN_MS,
  ).catch((error: unknown) => wrong.push(`${String((error as Error).cause)} instead of ${expected}`));
  const badly = receiver.received.filter(
    ({ atMs, signedAtMs }) => Math.abs(atMs - signedAtMs) > LEEWAY_SECONDS * 1000,
  );
  if (badly.length > 0) wrong.push(`${badly.length} signatures with a wrong time`);
  return verdict(wrong.length === 0, {
    fault: `${fault}: approvals, stock, keys and stored times`,
    trials: `${traffic.approvals.length} approvals, ${traffic.adjustments.length} changes of stock, ${receiver.received.length} deliveries`,
    figure: `wrong ${some(wrong)}`,
    bar: `0 wrong; times within ${LEEWAY_SECONDS} s`,
  });
}

async function stockOf(trial: Trial, traffic: LightTraffic): Promise<string> {
  const [row] = await trial.sql<{ approved: string; stock: string }>(
    `SELECT (SELECT reserved_quantity FROM catalog.inventory WHERE org_id = $1 AND p1_id = $2)::text AS approved,
       (SELECT stock_quantity FROM catalog.inventory WHERE org_id = $1 AND p1_id = $3)::text AS stock`,
    trial.organization.orgId,
    traffic.approvedP1Id,
    traffic.adjustedP1Id,
  );
  return `${row?.approved} approved, ${row?.stock} in stock`;
}

/** Counts by kind; a kind without rows is left out. */
async function strangeTimes(trial: Trial): Promise<string[]> {
  const idTime = (id: string): string =>
    `to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
  const far = (time: string, from: string): string =>
    `abs(extract(epoch FROM ${time} - ${from})) > ${LEEWAY_SECONDS}`;
  const rows = await trial.sql<{ what: string; count: string }>(
    `SELECT what, count(*)::text AS count FROM (
       SELECT 'expired requests' AS what FROM core.order_requests WHERE org_id = $1 AND status = 'expired'
       UNION ALL SELECT 'requests not approved' FROM core.order_requests WHERE org_id = $1 AND status <> 'approved'
       UNION ALL SELECT 'holds' FROM catalog.reservations WHERE org_id = $1 AND state <> 'confirmed'
       UNION ALL SELECT format('deliveries of %s: %s, %s attempts, next in %s', event_type, status, attempt_count, date_trunc('minute', next_attempt_at - now())) FROM webhooks.deliveries WHERE org_id = $1 AND status <> 'succeeded'
       UNION ALL SELECT 'times of attempts' FROM webhooks.attempts a JOIN webhooks.deliveries d ON d.id = a.delivery_id
         WHERE d.org_id = $1 AND abs(extract(epoch FROM a.started_at - d.created_at)) > 60
       UNION ALL SELECT 'ids of orders' FROM core.orders WHERE org_id = $1 AND ${far(idTime('id'), 'created_at')}
       UNION ALL SELECT 'ids of events' FROM webhooks.events e JOIN webhooks.deliveries d ON d.event_id = e.id
         WHERE e.org_id = $1 AND ${far(idTime('e.id'), 'd.created_at')}
       UNION ALL SELECT 'times of events' FROM webhooks.events e JOIN webhooks.deliveries d ON d.event_id = e.id
         WHERE e.org_id = $1 AND ${far('e.created_at', 'd.created_at')}
       UNION ALL SELECT 'uses of keys' FROM core.api_keys WHERE org_id = $1 AND last_used_at > now() + interval '${LEEWAY_SECONDS} s'
     ) strange GROUP BY what`,
    trial.organization.orgId,
  );
  return rows.map(({ what, count }) => `${count} ${what}`);
}

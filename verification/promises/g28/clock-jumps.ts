import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { type AppName, appNames } from '@offizin/local-stack/apps';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { callApi } from '@offizin/testkit/load/calls';
import { History } from '@offizin/testkit/load/history';
import { pause, submitOnce, submitUntilOk } from '@offizin/testkit/load/submissions';
import { JumpingClocks } from '../faults/shifted-clock';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import { judgeSubmissions, seconds } from '../nothing-lost';
import type { ReceiverAnswer, RecordingReceiver } from '../recording-receiver';
import type { Trial } from '../trial';
import { fillDisk } from './full-disk';
import { LightTraffic, STOCK } from './light-traffic';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BACK_WITHIN_MS = 10_000;
/** Limits as in production: one that counted by the wall clock would refuse for as long as the clock has jumped back. */
const LIMITS = {
  gateway: { API_RATE_PER_SECOND: '100', API_RATE_BURST: '200', TOKENS_PER_KEY_PER_MINUTE: '3000' },
  'connector-edge': { CONNECTOR_RATE_PER_SECOND: '50', CONNECTOR_RATE_BURST: '100' },
};

export const diskAndClocks: Guarantee = {
  id: 'G28',
  promise: 'Full disk of the database, and clocks that jump',
  isShort: true,
  run: async (bench) => {
    const disk = await bench.pick(fillDisk, () => Promise.resolve([]))(bench);
    const from = bench.history.operations.length;
    return [...disk, ...(await jumpClocks(bench, from))];
  },
};

interface Stage {
  bench: Bench;
  trial: Trial;
  clocks: JumpingClocks;
  traffic: LightTraffic;
  receiver: RecordingReceiver;
  keys: EndingKeys;
  /** Deliveries that the subscriber has refused. */
  refused: Set<string>;
}

/** The wall clock of one process after the other jumps and comes back, while light traffic runs. */
async function jumpClocks(bench: Bench, from: number): Promise<Verdict[]> {
  const clocks = new JumpingClocks();
  bench.atEnd(async () => clocks.remove());
  const trial = await bench.open({ extraEnv: environmentsOf(clocks) });
  const receiver = await trial.subscribe('all');
  const keys = await endingKeys(trial);
  const traffic = await LightTraffic.start(trial, bench.history);
  const stage = { bench, trial, clocks, traffic, receiver, keys, refused: new Set<string>() };
  const apps = bench.pick<readonly AppName[]>(appNames, ['gateway']);
  const shiftsMs = bench.pick([HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS], [HOUR_MS, -HOUR_MS]);
  const pids = appNames.map((app) => trial.stack.apps[app].pid);
  const wrong: string[] = [];
  const recoveries: number[] = [];
  for (const app of apps)
    for (const shiftMs of shiftsMs) recoveries.push(await jump(stage, app, shiftMs, wrong));
  await traffic.stop();
  wrong.push(...traffic.wrong);
  const ended = appNames.filter((app, index) => trial.stack.apps[app].pid !== pids[index]);
  wrong.push(...ended.map((app) => `${app} ended`));
  const longestMs = Math.max(...recoveries);
  for (const one of new Set(wrong)) bench.say(one);
  const fault = `clock of ${apps.length === 1 ? apps[0] : 'one of five processes'} jumps by ${bench.pick('± 1 h, ± 1 day', '± 1 h')}`;
  const works = verdict(wrong.length === 0 && longestMs <= BACK_WITHIN_MS, {
    fault,
    trials: `${recoveries.length} jumps and back`,
    figure: `wrong ${some([...new Set(wrong)])}, all works again after at most ${seconds(longestMs)}`,
    bar: `0 wrong (clear refusals while shifted, no end of a process), again within ${seconds(BACK_WITHIN_MS)}`,
  });
  const kept = await judgeSubmissions(trial, bench.history, receiver, {
    fault,
    deliveredWithinMs: 60_000,
    from,
  });
  return [works, ...kept, await judgeTimes(trial, traffic, receiver, fault)];
}

function environmentsOf({ environments }: JumpingClocks): Record<AppName, Record<string, string>> {
  const both = appNames.map((app) => [
    app,
    { ...(LIMITS as Record<string, object>)[app], ...environments[app] },
  ]);
  return Object.fromEntries(both) as typeof environments;
}

/** Resolves with the time from the right clock until everything works. */
async function jump(stage: Stage, app: AppName, shiftMs: number, wrong: string[]): Promise<number> {
  const { bench, trial, clocks, receiver, keys } = stage;
  const what = `${app} ${shiftMs > 0 ? '+' : '-'}${Math.abs(shiftMs) / HOUR_MS} h`;
  // A busy subscriber answers with a date in Retry-After.
  const untilMs = Date.now() + bench.pick(3_000, 1_000);
  if (app === 'webhook-worker') receiver.answer = busyUntil(untilMs, stage.refused);
  await clocks.jump(app, shiftMs);
  bench.history.note(`clock of ${what}`);
  await pause(bench.pick(4_000, 1_500));
  const during = await keys.tokensNow();
  await clocks.jump(app, 0);
  const rightAt = performance.now();
  bench.history.note(`clock of ${app} is right`);
  let rounds = 0;
  const works = (): Promise<boolean> => allWorks(stage, `g28-after-${app}-${shiftMs}-${rounds++}`);
  await eventually(what, works, 2 * BACK_WITHIN_MS).catch((error: unknown) =>
    wrong.push(`${what}: ${String((error as Error).cause)}`),
  );
  const tookMs = performance.now() - rightAt;
  const held = await heldKeys(trial, keys, app === 'gateway' && shiftMs > 0 ? during : null);
  wrong.push(...held.map((one) => `after ${what}: ${one}`));
  bench.say(`${what}: all works again after ${seconds(tookMs)}`);
  return tookMs;
}

function busyUntil(untilMs: number, refused: Set<string>): ReceiverAnswer {
  return (response, { deliveryId }) => {
    // Once each: the schedule lets a delivery wait for five minutes after its second attempt.
    if (Date.now() >= untilMs || refused.has(deliveryId)) return response.writeHead(200).end();
    refused.add(deliveryId);
    return response.writeHead(503, { 'retry-after': new Date(untilMs).toUTCString() }).end();
  };
}

/** One call of each kind, by callers that do not repeat it, and the delivery of its event. */
async function allWorks({ trial, traffic, receiver, bench }: Stage, tag: string): Promise<boolean> {
  const { organization } = trial;
  const exchanged = await organization.exchange(organization.apiKey.text);
  if (exchanged.status !== 200) throw new Error(`/auth/token: ${exchanged.status}`);
  organization.token = json<{ access_token: string }>(exchanged).access_token;
  const { status } = await callApi(organization, 'GET /orders?limit=5');
  if (status !== 200) throw new Error(`/orders: ${status}`);
  const order = await submitOnce(traffic.orderOf(tag), bench.history);
  const request = await submitOnce(traffic.requestOf(`${tag}-request`), bench.history);
  if (request.id === null) throw new Error(`connector: ${request.status}`);
  const approval = await submitUntilOk(traffic.approvalOf(request.id), { history: new History(null) });
  if (approval.status !== 200) throw new Error(`approval: ${approval.status}`);
  traffic.approvals.push(request.id);
  if (order.id === null) throw new Error(`POST /orders: ${order.status}`);
  const isDelivered = (): boolean => receiver.received.some(({ aggregateId }) => aggregateId === order.id);
  return eventually('its event', isDelivered, BACK_WITHIN_MS);
}

/** How far a stored or signed time may be from the right one. */
const LEEWAY_SECONDS = 30;
const REPLAYS = 200;
const SETTLED_WITHIN_MS = 30_000;

/** Judges rows at the end: stock, approvals, idempotency keys, and every time that a wrong clock could have set. */
async function judgeTimes(
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

const EXPIRES_SOON_MS = 4_000;
/** Shorter than each jump: by a clock that is ahead the key has expired. */
const EXPIRES_LATER_MS = 1_800_000;

/** An API key that has expired, one that expires in half an hour, and a token from before the first jump. */
interface EndingKeys {
  expired: string;
  lasting: string;
  firstToken: string;
  /** A token of the organization by the clock of now, used once; null when the exchange is refused. */
  tokensNow: () => Promise<string | null>;
}

async function endingKeys(trial: Trial): Promise<EndingKeys> {
  const { organization, platform } = trial;
  const keyUntil = async (leftMs: number): Promise<string> => {
    const expires_at = new Date(Date.now() + leftMs).toISOString();
    const about = { kind: 'org', scopes: ALL_SCOPES, expires_at } as const;
    return (await platform.apiKey(organization.orgId, about)).text;
  };
  const [expired, lasting] = await Promise.all([keyUntil(EXPIRES_SOON_MS), keyUntil(EXPIRES_LATER_MS)]);
  const statusOf = async (key: string): Promise<number> => (await organization.exchange(key)).status;
  await eventually('the lasting key to be known', async () => (await statusOf(lasting)) === 200);
  await eventually('a key to expire', async () => (await statusOf(expired)) === 401);
  const tokensNow = async (): Promise<string | null> => {
    const answer = await organization.exchange(organization.apiKey.text);
    if (answer.status !== 200) return null;
    const token = json<{ access_token: string }>(answer).access_token;
    await listWith(trial, token);
    return token;
  };
  return { expired, lasting, firstToken: organization.token, tokensNow };
}

/** Mistakes with keys and tokens while all clocks are right. `early` is a token of a clock that was ahead. */
async function heldKeys(trial: Trial, keys: EndingKeys, early: string | null): Promise<string[]> {
  const { organization } = trial;
  const wrong: string[] = [];
  const expect = (what: string, status: number | null, wanted: number): void => {
    if (status !== wanted) wrong.push(`${what}: ${status}`);
  };
  expect('an expired API key', (await organization.exchange(keys.expired)).status, 401);
  expect('an API key of half an hour', (await organization.exchange(keys.lasting)).status, 200);
  expect('a token from before', await listWith(trial, keys.firstToken), 200);
  if (early !== null) expect('a token from the future', await listWith(trial, early), 401);
  return wrong;
}

async function listWith({ organization }: Trial, token: string): Promise<number | null> {
  const headers = { authorization: `Bearer ${token}` };
  return (await callApi(organization, 'GET /orders?limit=1', undefined, { headers })).status;
}

import { type AppName, appNames } from '@offizin/local-stack/apps';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { JumpingClocks } from '../faults/shifted-clock';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import { callApi } from '../load/caller';
import { History } from '../history/history';
import { LightTraffic } from '../load/light-traffic';
import type { RecordingReceiver, ReceiverAnswer } from '../load/recording-receiver';
import { pause, submitOnce, submitUntilOk } from '../load/submitters';
import { judgeSubmissions, seconds } from '../nothing-lost';
import type { Trial } from '../trial';
import { type EndingKeys, endingKeys, heldKeys } from './g28-keys';
import { fillDisk } from './g28-full-disk';
import { judgeTimes } from './g28-times';

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
  run: async (bench) => [...(await bench.pick(fillDisk, notTried)(bench)), ...(await jumpClocks(bench))],
};

async function notTried(): Promise<Verdict[]> {
  return [];
}

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
async function jumpClocks(bench: Bench): Promise<Verdict[]> {
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
  const kept = await judgeSubmissions(trial, bench.history, receiver, fault, { deliveredWithinMs: 60_000 });
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
  const { status } = await callApi(organization, 'GET', '/orders?limit=5');
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

import { EDGES, type Target, targetAt } from '@offizin/testkit/edge-target';
import { CallTimes } from '@offizin/testkit/load/call-times';
import { callApi, callConnector } from '@offizin/testkit/load/calls';
import type { Pace } from '@offizin/testkit/load/pace';
import { pause } from '@offizin/testkit/load/submissions';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { compareLatencies } from '../checkers/checkers';
import { CRAWL, DRIP, SlowBodies, type SlowBody } from '../faults/slow-bodies';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const RATIO_AT_MOST = 2;
/** Times below this count as equal: they differ by the noise of a shared machine. */
const FLOOR_MS = 20;
const ENDED_MS_AT_MOST = 30_000;
/** More than an edge has connections to order-core (256). */
const DRIPS = 300;
/** More connections to order-core than one organization gets while others are active (48). */
const CRAWLS = 60;
/** The rate limit of a key on the gateway; on the connector, of several keys. */
const PACE: Pace = { perSecond: 100, burst: 200 };

export const slowBodies: Guarantee = {
  id: 'G21',
  promise: 'A key inside its rate limit cannot hold what all need',
  isShort: true,
  run: async (bench) => {
    const trial = await bench.open();
    const other = await trial.platform.organization();
    await submit(other, bench.pick(3_000, 300), new CallTimes());
    const parts = { bench, trial, other };
    return bench.pick(tryTimes, tryAnswers)(parts);
  },
};

interface Parts {
  bench: Bench;
  trial: Trial;
  /** The tenant that the attack must not hurt. */
  other: TestOrganization;
}

/** Where one organization hands in order requests. */
function targetsOf(organization: TestOrganization): Target[] {
  return EDGES.map((edge) => targetAt(edge, organization, '/order-requests'));
}

/** External orders and order requests, one after the other for the given time. */
async function submit(organization: TestOrganization, forMs: number, into: CallTimes): Promise<void> {
  const shop_id = organization.shops[0].shopId;
  const endsAtMs = performance.now() + forMs;
  while (performance.now() < endsAtMs) {
    into.note('external order', await callConnector(organization, 'POST', orderRequest()));
    const request = orderRequest({ shop_id });
    into.note('order request', await callApi(organization, 'POST /order-requests', request));
  }
}

/** For `npm test`: other work on the machine decides the times there, so only the answers are judged. */
async function tryAnswers({ bench, trial, other }: Parts): Promise<Verdict[]> {
  const drips = await begin(bench, targetsOf(trial.organization), DRIP, DRIPS);
  const beside = new CallTimes();
  await submit(other, 4_000, beside);
  bench.say(`drips ${statusesOf(drips)}`);
  return [
    verdict(beside.failures.length === 0, {
      fault: `${DRIPS} bodies of 60 KB on each edge, a byte every 2 s`,
      trials: `${beside.count} submissions of another tenant`,
      figure: `failures ${some(beside.failures)}`,
      bar: 'no failure',
    }),
  ];
}

async function tryTimes({ bench, trial, other }: Parts): Promise<Verdict[]> {
  const targets = targetsOf(trial.organization);
  const alone = new CallTimes();
  const beside = new CallTimes();
  const longestMs: number[] = [];
  // In alternation, because the speed of a shared machine changes by the minute.
  for (let round = 0; round < 3; round++) {
    await submit(other, 6_000, alone);
    // The crawls first: both need the same memory.
    const crawls = await begin(bench, targets, CRAWL, CRAWLS);
    const drips = await begin(bench, targets, DRIP, DRIPS);
    await submit(other, 15_000, beside);
    longestMs.push(...(await Promise.all(drips.map((attack) => attack.untilEnded(ENDED_MS_AT_MOST)))));
    for (const attack of [...crawls, ...drips]) attack.leave();
    bench.say(`drips ${statusesOf(drips)}; crawls ${statusesOf(crawls)}; beside ${figureOf(beside)}`);
    await pause(500);
  }
  return [judgeOther(alone, beside), judgeEnds(Math.max(...longestMs))];
}

/** Resolves when `count` bodies have begun at each target. */
async function begin(
  { atEnd }: Bench,
  targets: readonly Target[],
  body: SlowBody,
  count: number,
): Promise<SlowBodies[]> {
  const attacks = targets.map((target) => new SlowBodies(target, body));
  atEnd(async () => attacks.forEach((attack) => attack.leave()));
  await Promise.all(attacks.map((attack) => attack.begin(count, PACE)));
  return attacks;
}

function judgeOther(alone: CallTimes, beside: CallTimes): Verdict {
  const ratios = alone.kinds.map(
    (kind) => compareLatencies(alone.of(kind), beside.of(kind), 0.99, FLOOR_MS).ratio,
  );
  const holds = ratios.every((ratio) => ratio <= RATIO_AT_MOST) && beside.failures.length === 0;
  return verdict(holds, {
    fault:
      `${DRIPS} bodies of 60 KB on each edge, a byte every 2 s, and ${CRAWLS} of 100 KB ` +
      'at 1.25 KiB/s after 64 KiB',
    trials: `${alone.count} submissions of another tenant alone, ${beside.count} beside`,
    figure: `alone ${figureOf(alone)}; beside ${figureOf(beside)}`,
    bar: `p99 beside ≤ ${RATIO_AT_MOST} × alone (alone at least ${FLOOR_MS} ms), no failure`,
  });
}

function judgeEnds(longestMs: number): Verdict {
  return verdict(longestMs <= ENDED_MS_AT_MOST, {
    fault: 'bodies of which a byte comes every 2 s',
    trials: `${DRIPS} on each edge together, renewed for 15 s, 3 times`,
    figure: Number.isFinite(longestMs) ? `all ended after ${seconds(longestMs)}` : 'some stay open',
    bar: `answered or closed ≤ ${seconds(ENDED_MS_AT_MOST)}`,
  });
}

function figureOf(measured: CallTimes): string {
  const times = measured.kinds.map((kind) => `${kind} p99 ${seconds(measured.p99Ms(kind))}`);
  return `${times.join(', ')}, failures ${some(measured.failures)}`;
}

function statusesOf(attacks: readonly SlowBodies[]): string {
  return attacks.map(({ statuses }) => JSON.stringify(statuses)).join(' and ');
}

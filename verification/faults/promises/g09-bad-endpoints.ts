import { eventually } from '@offizin/testkit/eventually';
import { compareLatencies } from '../checkers/latency-checker';
import { HOSTILITIES, HostileReceiver, type Hostility } from '../faults/hostile-receiver';
import { memoryMb } from '../faults/processes';
import { type Guarantee, verdict } from '../guarantee';
import { callApi, textIn } from '../load/caller';
import type { RecordingReceiver } from '../load/recording-receiver';
import { pause } from '../load/submitters';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const HEALTHY = 20;
const ORDERS_PER_SECOND = 10;
const SECONDS_EACH = 8;
const RATIO_AT_MOST = 1.5;
/** Two figures below this differ by the noise of a shared machine. */
const NOISE_FLOOR_MS = 50;
const MEMORY_MB_AT_MOST = 64;

export const badEndpoints: Guarantee = {
  id: 'G9',
  promise: 'A bad endpoint hurts nobody',
  // It measures times, which depend on other load of the machine: not for `npm test`.
  isShort: false,
  run: async (bench) => {
    const { open, pick, atEnd, history, say } = bench;
    const trial = await open();
    // At most 20 subscriptions of one organization: half of the healthy ones share it with the bad ones.
    const other = await trial.platform.organization();
    const healthy = await Promise.all(
      Array.from({ length: HEALTHY }, (_, index) =>
        trial.subscribe(`healthy-${index}`, undefined, index % 2 === 0 ? trial.organization : other),
      ),
    );
    const organizations = [trial.organization, other];
    await drive(organizations, 'warm', 3, healthy);
    const memoryBefore = memoryMb(trial.stack.apps['webhook-worker']);
    const bad = await Promise.all(
      (Object.keys(HOSTILITIES) as Hostility[]).map((kind) => beBad(trial, kind)),
    );
    atEnd(async () => bad.forEach(({ receiver }) => receiver.close()));
    const peak = watchMemory(trial);
    const before: number[] = [];
    const during: number[] = [];
    // In turn, because the other load of the machine changes by the minute.
    for (let round = 0; round < pick(4, 1); round++) {
      await switchAll(trial, bad, false);
      before.push(...(await drive(organizations, `before-${round}`, SECONDS_EACH, healthy)));
      await switchAll(trial, bad, true);
      history.note('bad endpoints active');
      // The bad ones fail first: the promise is about a worker that knows them.
      await drive(organizations, `meeting-${round}`, 2, healthy);
      during.push(...(await drive(organizations, `during-${round}`, SECONDS_EACH, healthy)));
    }
    const growth = memoryBefore === null ? null : (await peak()) - memoryBefore;
    const { beforeMs, duringMs, ratio } = compareLatencies(before, during, 0.99, NOISE_FLOOR_MS);
    const names = bad.map(({ receiver }) => receiver.hostility).join(', ');
    say(bad.map(({ receiver: { hostility, connections } }) => `${hostility} ${connections}`).join(', '));
    return [
      verdict(ratio <= RATIO_AT_MOST && during.length > 0, {
        fault: `${bad.length} bad endpoints (${names})`,
        trials: `${before.length} deliveries to ${HEALTHY} healthy ones before, ${during.length} during`,
        figure: `p99 commit to arrival ${seconds(beforeMs)} before, ${seconds(duringMs)} during: ratio ${ratio.toFixed(2)}`,
        bar: `ratio ≤ ${RATIO_AT_MOST} (below ${NOISE_FLOOR_MS} ms counts as equal)`,
      }),
      growth === null
        ? { ...memoryRow('no /proc here'), result: 'skipped' as const }
        : verdict(growth <= MEMORY_MB_AT_MOST, memoryRow(`${growth.toFixed(0)} MB more at most`)),
    ];
  },
};

function memoryRow(figure: string) {
  return {
    fault: 'memory of the worker meanwhile',
    trials: 'looked at every 100 ms',
    figure,
    bar: `+${MEMORY_MB_AT_MOST} MB at most`,
  };
}

interface Bad {
  receiver: HostileReceiver;
  webhookId: string;
}

async function beBad(trial: Trial, hostility: Hostility): Promise<Bad> {
  const receiver = await HostileReceiver.start(hostility);
  const answer = await callApi(trial.organization, 'POST', '/webhooks', { url: receiver.url });
  const webhookId = textIn(answer, 'id');
  if (webhookId === null) throw new Error(`a subscription was answered ${answer.status}: ${answer.body}`);
  return { receiver, webhookId };
}

async function switchAll(trial: Trial, bad: readonly Bad[], is_active: boolean): Promise<void> {
  for (const { webhookId } of bad) {
    const { status, body } = await callApi(trial.organization, 'PUT', `/webhooks/${webhookId}`, {
      is_active,
    });
    if (status !== 200) throw new Error(`switching a subscription was answered ${status}: ${body}`);
  }
}

/** Orders at an even pace; resolves with the time from commit to arrival of each delivery to a healthy endpoint. */
async function drive(
  organizations: readonly Trial['organization'][],
  name: string,
  durationSeconds: number,
  healthy: readonly RecordingReceiver[],
): Promise<number[]> {
  const from = healthy.map(({ received }) => received.length);
  const count = durationSeconds * ORDERS_PER_SECOND;
  const startedAt = performance.now();
  for (let index = 0; index < count; index++) {
    const dueAt = startedAt + (index * 1_000) / ORDERS_PER_SECOND;
    await pause(Math.max(0, dueAt - performance.now()));
    await Promise.all(
      organizations.map(async (organization) => {
        const body = { shop_id: organization.shops[0].shopId, external_id: `g9-${name}-${index}` };
        const { status } = await callApi(organization, 'POST', '/orders', body);
        if (status !== 201) throw new Error(`an order was answered ${status}`);
      }),
    );
  }
  await eventually(
    'every delivery to the healthy ones',
    () => healthy.every(({ received }, index) => received.length >= (from[index] ?? 0) + count),
    60_000,
  );
  return healthy.flatMap(({ received }, index) =>
    received.slice(from[index]).map(({ atMs, createdAtMs }) => atMs - createdAtMs),
  );
}

/** Samples the worker's memory until the returned function is called, which resolves with the maximum. */
function watchMemory(trial: Trial): () => Promise<number> {
  let goesOn = true;
  const watching = (async () => {
    let most = 0;
    while (goesOn) {
      most = Math.max(most, memoryMb(trial.stack.apps['webhook-worker']) ?? 0);
      await pause(100);
    }
    return most;
  })();
  return () => {
    goesOn = false;
    return watching;
  };
}

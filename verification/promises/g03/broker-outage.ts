import { rmSync } from 'node:fs';
import { probeBroker } from '@offizin/events/broker-probe';
import type { NatsServer } from '@offizin/local-stack/nats';
import { limitEventStream } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { callConnector } from '@offizin/testkit/load/calls';
import { mixedSubmissions, pause, submitAll } from '@offizin/testkit/load/submissions';
import { accessTo } from '@offizin/testkit/platform';
import { freeze, kill, startAgain, thaw } from '../faults/processes';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import type { RecordingReceiver } from '../recording-receiver';
import { checkEvents, seconds, storedRows } from '../nothing-lost';
import { some } from '../guarantee';
import { checkSet } from '../checkers/checkers';
import type { Trial } from '../trial';

const DELIVERED_WITHIN_MS = 120_000;
/** Calls that need no bus are not affected; a second allows for the noise of one machine. */
const UNAFFECTED_WITHIN_MS = 1_000;

/** A little more than two messages of the largest size: space for half of the pending events. */
const SMALL_STREAM_BYTES = 288 * 1024;
const FULL_BYTES = SMALL_STREAM_BYTES * 0.9;

/** Injects the fault; resolves when the broker is available again. */
type Fault = (broker: NatsServer, bench: Bench, trial: Trial) => Promise<void>;

export const brokerOutage: Guarantee = {
  id: 'G3',
  promise: 'The broker may die, be wiped, hang or fill its stream',
  isShort: true,
  run: async (bench) => {
    const trial = await bench.open();
    const receiver = await trial.subscribe('all');
    const held = [
      await tryFault(trial, receiver, bench, {
        name: 'SIGKILL, back after 5 s',
        prefix: 'kill',
        harm: killed(5_000, false),
      }),
      await tryFault(trial, receiver, bench, {
        name: 'SIGKILL, store deleted',
        prefix: 'wipe',
        harm: killed(3_000, true),
      }),
      await tryFault(trial, receiver, bench, {
        name: 'SIGSTOP for 30 s',
        prefix: 'hang',
        harm: frozen(bench.pick(30_000, 12_000)),
      }),
      await tryFault(trial, receiver, bench, {
        name: 'stream of events full, its follower away',
        prefix: 'stream',
        harm: crowded,
      }),
    ];
    return held.flat();
  },
};

function killed(awayMs: number, wiped: boolean): Fault {
  return async (broker, { history }) => {
    await kill(broker.process, history);
    if (wiped) rmSync(broker.storeDir, { recursive: true, force: true });
    await pause(awayMs);
    await broker.process.start();
    await broker.process.ready();
  };
}

function frozen(ms: number): Fault {
  return async (broker, { history }) => {
    freeze(broker.process, history);
    await pause(ms);
    thaw(broker.process, history);
  };
}

/** The stream has too little space for the events while webhook-worker is stopped, and is not enlarged. */
const crowded: Fault = async (_broker, { history, pick }, { stack }) => {
  const worker = stack.apps['webhook-worker'];
  await limitEventStream(accessTo(stack), SMALL_STREAM_BYTES);
  await kill(worker, history);
  await eventually(
    'the stream to fill up',
    async () => ((await probeBroker(accessTo(stack))).events?.bytes ?? 0) > FULL_BYTES,
    30_000,
  );
  await pause(pick(10_000, 2_000));
  // Its start takes CPU from all others; only the time in which the stream was full is judged.
  await startAgain(worker, history);
};

async function tryFault(
  trial: Trial,
  receiver: RecordingReceiver,
  bench: Bench,
  { name: fault, prefix, harm }: { name: string; prefix: string; harm: Fault },
): Promise<Verdict[]> {
  const { history, random, pick, say } = bench;
  const broker = trial.stack.nats;
  if (!broker) throw new Error('the stack has no broker of its own');
  const from = history.operations.length;
  // The stream is not full with fewer events.
  const count = harm === crowded ? 600 : pick(600, 100);
  const submissions = mixedSubmissions(trial.organization, count, `g3-${prefix}`);
  let isAway = true;
  const reads = readUntil(trial, () => !isAway);
  const loaded = submitAll(submissions, { history, random, submitters: 8, pauseMs: 400 });
  await pause(random.between(300, 1_500));
  const awayFromMs = Date.now();
  await harm(broker, bench, trial);
  const backAtMs = Date.now();
  isAway = false;
  await loaded;
  const readMs = await reads;
  const events = await checkEvents(trial, receiver, DELIVERED_WITHIN_MS - (Date.now() - backAtMs));
  const deliveredMs = Math.max(0, Math.max(...receiver.received.map(({ atMs }) => atMs)) - backAtMs);
  say(`${fault}: all delivered ${seconds(deliveredMs)} after it was back`);
  const operations = history.operations.slice(from);
  const set = checkSet(operations, await storedRows(trial));
  const during = operations.filter(
    ({ via, invokedAtMs }) => via === 'connector' && invokedAtMs >= awayFromMs && invokedAtMs < backAtMs,
  );
  const slowestMs = Math.max(0, ...during.map(({ invokedAtMs, finishedAtMs }) => finishedAtMs - invokedAtMs));
  const refused = during.filter(({ outcome }) => outcome !== 'ok').length;
  const slowestReadMs = Math.max(0, ...readMs);
  const lost = [...set.lost, ...set.doubled, ...set.mistaken, ...events.lost, ...events.doubled];
  return [
    verdict(lost.length === 0 && deliveredMs <= DELIVERED_WITHIN_MS, {
      fault,
      trials: `${set.acknowledged} accepted, ${events.rows} events`,
      figure: `lost or doubled ${some(lost)}; the last delivered ${seconds(deliveredMs)} after it was back`,
      bar: `0 lost, all delivered ≤ ${seconds(DELIVERED_WITHIN_MS)}`,
    }),
    verdict(
      refused === 0 &&
        readMs.every(Number.isFinite) &&
        Math.max(slowestMs, slowestReadMs) <= UNAFFECTED_WITHIN_MS,
      {
        fault: `${fault}: connector meanwhile`,
        trials: `${during.length} submissions, ${readMs.length} reads`,
        figure: `${refused} not taken, the slowest ${seconds(slowestMs)}; reads at most ${seconds(slowestReadMs)}`,
        bar: 'unaffected',
      },
    ),
  ];
}

/** The partner reads its request ten times a second; resolves with how long each took, Infinity for one not answered. */
async function readUntil(trial: Trial, done: () => boolean): Promise<number[]> {
  const { organization } = trial;
  const id = await organization.submit({
    payload: { customer_name: 'Erika', items: [{ name: 'Salbe', quantity: 1, price: 1 }] },
  });
  const durations: number[] = [];
  while (!done()) {
    const answer = await callConnector(organization, `GET /${id}`);
    durations.push(answer.status === 200 ? answer.durationMs : Infinity);
    await pause(100);
  }
  return durations;
}

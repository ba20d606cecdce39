import type { AppProcess } from '@offizin/local-stack/apps';
import { eventually } from '@offizin/testkit/eventually';
import { mixedSubmissions, pause, submitAll } from '@offizin/testkit/load/submissions';
import { checkDeliveries } from '../checkers/checkers';
import { freeze, kill, startAgain, thaw } from '../faults/processes';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import type { RecordingReceiver } from '../recording-receiver';
import type { Trial } from '../trial';

/** Long enough that the worker always has deliveries in flight. */
const ANSWER_AFTER_MS = 150;
/** Longer than a lease of 60 s. */
const PAUSED_MS = 66_000;
const LEASE_MS = 60_000;

export const workerCrash: Guarantee = {
  id: 'G4',
  promise: 'A worker may die or be paused with deliveries in hand',
  isShort: false,
  run: async (bench) => {
    const trial = await bench.open();
    const receiver = await trial.subscribe('slow', (response) =>
      setTimeout(() => response.writeHead(200).end(), ANSWER_AFTER_MS),
    );
    const other = await trial.stack.addReplica('webhook-worker');
    const workers = [trial.stack.apps['webhook-worker'], other.process];
    return [
      await tryKills(trial, receiver, workers, bench),
      ...(await tryPause(trial, receiver, workers, bench)),
    ];
  },
};

async function tryKills(
  trial: Trial,
  receiver: RecordingReceiver,
  workers: readonly AppProcess[],
  bench: Bench,
): Promise<Verdict> {
  const { history, random, pick } = bench;
  const submissions = mixedSubmissions(trial.organization, pick(3_000, 200), 'g4-kill');
  let running = true;
  const loaded = submitAll(submissions, { history, random, submitters: 16, pauseMs: 200 }).finally(
    () => (running = false),
  );
  let held = 0;
  let kills = 0;
  while (running) {
    await Promise.race([loaded, pause(random.between(1_500, 4_000))]);
    const victim = random.pick(workers);
    await kill(victim, history);
    held += await leased(trial);
    kills += 1;
    await startAgain(victim, history);
    await victim.ready();
  }
  await loaded;
  return judge(trial, receiver, `${kills} × SIGKILL of one of two workers`, { inHand: held });
}

/** One worker is stopped for longer than its leases, the other takes over; then the first one resumes. */
async function tryPause(
  trial: Trial,
  receiver: RecordingReceiver,
  [first, second]: readonly AppProcess[],
  bench: Bench,
): Promise<Verdict[]> {
  if (!first || !second) throw new Error('no two workers');
  const { history, random, pick } = bench;
  const submissions = mixedSubmissions(trial.organization, pick(600, 100), 'g4-pause');
  const before = checkDeliveries([], ['slow'], receiver.received).repeats;
  const loaded = submitAll(submissions, { history, random, submitters: 16, pauseMs: 100 });
  await pause(random.between(500, 1_500));
  freeze(first, history);
  const inHand = await leased(trial);
  await loaded;
  await pause(PAUSED_MS);
  thaw(first, history);
  const verdicts = [
    await judge(trial, receiver, 'SIGSTOP of one worker past its leases, then SIGCONT', {
      inHand,
      repeatsBefore: before,
    }),
  ];
  const [row] = await trial.sql<{ twice: string }>(
    `SELECT count(*)::text AS twice FROM webhooks.deliveries
     WHERE org_id = $1 AND attempt_count <> 1 AND status = 'succeeded'`,
    trial.organization.orgId,
  );
  verdicts.push(
    verdict(row?.twice === '0', {
      fault: 'results of the stopped worker, written after others had taken over',
      trials: `${inHand} deliveries in hand`,
      figure: `${row?.twice ?? '?'} deliveries changed by a late result`,
      bar: 'discarded by their lease tokens',
    }),
  );
  return verdicts;
}

/** Deliveries that some worker leases now. */
async function leased(trial: Trial): Promise<number> {
  const [row] = await trial.sql<{ held: string }>(
    'SELECT count(*)::text AS held FROM webhooks.deliveries WHERE lease_until > now()',
  );
  return Number(row?.held ?? 0);
}

async function judge(
  trial: Trial,
  receiver: RecordingReceiver,
  fault: string,
  { inHand, repeatsBefore = 0 }: { inHand: number; repeatsBefore?: number },
): Promise<Verdict> {
  const ids = await eventually(
    'every delivery to be written',
    async () => {
      const rows = await trial.sql<{ event_id: string; status: string }>(
        'SELECT event_id::text, status FROM webhooks.deliveries WHERE org_id = $1',
        trial.organization.orgId,
      );
      const [outbox] = await trial.sql<{ left: string }>(
        'SELECT count(*)::text AS left FROM core.outbox WHERE published_at IS NULL',
      );
      const isDone = outbox?.left === '0' && rows.every(({ status }) => status === 'succeeded');
      return isDone && rows.map(({ event_id }) => event_id);
    },
    2 * LEASE_MS,
  ).catch(() => []);
  const { undelivered, doubled, repeats: all } = checkDeliveries(ids, ['slow'], receiver.received);
  const repeats = all - repeatsBefore;
  const wrong = [...undelivered, ...doubled];
  return verdict(ids.length > 0 && wrong.length === 0 && repeats <= inHand, {
    fault,
    trials: `${ids.length} deliveries`,
    figure: `lost or doubled ${some(wrong)}, repeated ${repeats} of ${inHand} in hand`,
    bar: '0 lost; repeats ≤ in flight, same id',
  });
}

import { connectBus } from '@offizin/bus/connection';
import { eventually } from '@offizin/testkit/eventually';
import { accessTo } from '@offizin/testkit/platform';
import type { SupervisedProcess } from '@offizin/local-stack/supervised-process';
import { mixedSubmissions, pause, submitAll, submitOnce } from '@offizin/testkit/load/submissions';
import { writeJson } from '../../../tools/up/demo-file';
import * as disk from '../faults/small-disk';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import { judgeSubmissions, seconds } from '../nothing-lost';
import type { Trial } from '../trial';

/** Database, broker, logs, run records and demo.json share one disk. `npm start` restarts what ends or hangs. */
const DISK_MB = 600;
const FULL_SECONDS = [5, 25, 60, 180];
/** Which start of each process the full disk meets. */
const STARTS = [1, 2, 3];
/** A broker that hangs is ended after 20 s. The rest is for its start, and for a database that has to recover. */
const BACK_WITHIN_MS = 60_000;
const RESTARTED_WITHIN_MS = 15_000;
const SUBMISSIONS = 60;

export const oneDisk: Guarantee = {
  id: 'G29',
  promise: 'A full disk leaves nothing that a person must restart',
  isShort: true,
  run: async (bench) => {
    const fault = `one disk of everything full (${DISK_MB} MB)`;
    let folder = '';
    const prepare = (dataDir: string): void => disk.mountSmallDisk((folder = dataDir), DISK_MB);
    // As `npm start` does. On a full disk it throws.
    const onProcessChange = (): void => void writeJson(`${folder}/demo.json`, { at: Date.now() });
    const cleanUp = disk.unmountSmallDisk;
    try {
      const trial = await bench.open({ prepare, cleanUp, onProcessChange, restart: true });
      return await fillAgainAndAgain(bench, trial, fault);
    } catch (error) {
      return disk.skippedWithoutMount(fault, error);
    }
  },
};

/** A message that is published while the disk is full makes a broker hang, or one of its streams. */
async function messageOnFullDisk(bench: Bench, trial: Trial): Promise<() => void> {
  const connection = await connectBus({ ...accessTo(trial.stack), name: 'operator' });
  bench.atEnd(() => connection.close());
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: 'G29', subjects: ['g29'], max_msgs: 10 });
  return () => connection.publish('g29', Buffer.alloc(10_000));
}

async function fillAgainAndAgain(bench: Bench, trial: Trial, fault: string): Promise<Verdict[]> {
  const message = await messageOnFullDisk(bench, trial);
  const receiver = await trial.subscribe('all');
  const rounds = bench.pick(
    FULL_SECONDS.flatMap((full) => STARTS.map((start) => ({ full, start }))),
    [{ full: 25, start: 1 }],
  );
  const works: Verdict[] = [];
  for (const { full, start } of rounds)
    works.push(await fillOnce(bench, trial, { fullSeconds: full, start, message }));
  return [...works, ...(await judgeSubmissions(trial, bench.history, receiver, { fault }))];
}

async function fillOnce(
  bench: Bench,
  trial: Trial,
  { fullSeconds, start, message }: { fullSeconds: number; start: number; message: () => void },
): Promise<Verdict> {
  const { history, random } = bench;
  const { stack, organization } = trial;
  const processes = [...Object.values(stack.apps), ...stack.brokers.map((broker) => broker.process)];
  if (stack.postgres) processes.push(stack.postgres.process);
  const name = `g29-${fullSeconds}-${start}`;
  await organization.renewToken();
  const fullMs = fullSeconds * 1_000;
  const load = { history, random, submitters: 4, pauseMs: 500, giveUpMs: fullMs + 2 * BACK_WITHIN_MS };
  const loaded = submitAll(mixedSubmissions(organization, SUBMISSIONS, name), load);
  await pause(1_000);
  history.note(`${name}: the disk is full`);
  const freeAt = performance.now() + fullMs;
  disk.fillDisk(stack.dataDir);
  for (let starts = 1; starts < start; starts++) await restartAll(processes, stack.dataDir);
  for (; performance.now() < freeAt; await pause(200)) {
    disk.fillDisk(stack.dataDir);
    message();
  }
  disk.emptyDisk(stack.dataDir);
  const freedAt = performance.now();
  history.note(`${name}: there is space again`);
  let asked = 0;
  let wrong: string[] = [];
  const answersAll = async (): Promise<boolean> => {
    wrong = await refusedCalls(bench, trial, `${name}-probe-${asked++}`);
    return wrong.length === 0;
  };
  const backMs = await eventually('every call to be answered', answersAll, 2 * BACK_WITHIN_MS).then(
    () => performance.now() - freedAt,
    () => Infinity,
  );
  await loaded;
  return verdict(backMs <= BACK_WITHIN_MS, {
    fault: `full for ${fullSeconds} s, at start ${start} of each process`,
    trials: `${processes.length} processes`,
    figure: backMs === Infinity ? `not answered: ${some(wrong)}` : `all answer after ${seconds(backMs)}`,
    bar: `≤ ${seconds(BACK_WITHIN_MS)}, without a person`,
  });
}

/** Kills each process, and waits until it was started again, however long that start lives. */
async function restartAll(processes: readonly SupervisedProcess[], dataDir: string): Promise<void> {
  const before = processes.map(({ pid }) => pid);
  for (const one of processes) one.kill('SIGKILL');
  const isRestarted = (): boolean => {
    disk.fillDisk(dataDir);
    return processes.every(({ pid }, place) => pid !== undefined && pid !== before[place]);
  };
  await eventually('every process to be started again', isRestarted, RESTARTED_WITHIN_MS);
}

/** One read of each service and one write of each door. */
async function refusedCalls(bench: Bench, trial: Trial, key: string): Promise<string[]> {
  const { organization } = trial;
  const reads = ['/orders', '/inventory', '/webhooks', '/order-requests'].map(async (path) => {
    const { status } = await organization.api('GET', path);
    return status === 200 ? [] : [`${path} ${status}`];
  });
  const writes = mixedSubmissions(organization, 2, key).map(async (submission) => {
    const { outcome, status } = await submitOnce(submission, bench.history);
    return outcome === 'ok' ? [] : [`${submission.kind} ${status}`];
  });
  return (await Promise.all([...reads, ...writes])).flat();
}

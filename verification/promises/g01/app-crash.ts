import type { AppName } from '@offizin/local-stack/apps';
import { mixedSubmissions, pause, submitAll } from '@offizin/testkit/load/submissions';
import { kill, startAgain } from '../faults/processes';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import { firstOkAfter, judgeSubmissions, seconds } from '../nothing-lost';
import type { Trial } from '../trial';

/** Which calls go through the process. */
const VICTIMS: Partial<Record<AppName, string[]>> = {
  'order-core': ['connector', 'gateway'],
  'connector-edge': ['connector'],
  gateway: ['gateway'],
};
const FIRST_OK_WITHIN_MS = 10_000;

export const appCrash: Guarantee = {
  id: 'G1',
  promise: 'Accepted order requests and orders are never lost or doubled',
  isShort: true,
  run: async (bench) => {
    const { history, random, pick, open } = bench;
    const trial = await open();
    const receiver = await trial.subscribe('all');
    const count = pick(5_000, 400);
    const submissions = mixedSubmissions(trial.organization, count, 'g1');
    const load = submitAll(submissions, { history, random, submitters: 16, pauseMs: pick(250, 150) });
    let running = true;
    const loaded = load.finally(() => (running = false));
    const recoveries: number[] = [];
    let kills = 0;
    // On a slow machine a restart takes longer than the load between two kills; the short run has an end all the same.
    while (running && kills < pick(Infinity, 3)) {
      await Promise.race([loaded, pause(random.between(500, 2_500))]);
      if (!running) break;
      kills += 1;
      recoveries.push(await crash(trial, bench));
    }
    await loaded;
    return [
      ...(await judgeSubmissions(trial, history, receiver, {
        fault: `${kills} × SIGKILL at random moments, 16 submitters`,
        rowsAtLeast: count,
      })),
      recovery(recoveries),
    ];
  },
};

/** Kills one process, starts it after a second as an orchestrator would; resolves with the time to its first ok. */
async function crash(trial: Trial, { history, random, say }: Bench): Promise<number> {
  const name = random.pick(Object.keys(VICTIMS) as (keyof typeof VICTIMS)[]);
  const process = trial.stack.apps[name];
  await kill(process, history);
  await pause(random.between(0, 1_000));
  const startedAtMs = await startAgain(process, history);
  const deadlineMs = startedAtMs + 3 * FIRST_OK_WITHIN_MS;
  const via = VICTIMS[name] ?? [];
  // The load may have ended already; then there is nothing to measure.
  let seen = history.operations.length;
  while (firstOkAfter(history.operations, startedAtMs, via) === null && Date.now() < deadlineMs) {
    await pause(50);
    if (Date.now() - startedAtMs > 5_000 && history.operations.length === seen) return 0;
    seen = history.operations.length;
  }
  const tookMs = firstOkAfter(history.operations, startedAtMs, via) ?? Infinity;
  say(`${name} killed, first ok ${seconds(tookMs)} after its start`);
  return tookMs;
}

function recovery(recoveries: readonly number[]): Verdict {
  const longestMs = Math.max(0, ...recoveries);
  return verdict(longestMs <= FIRST_OK_WITHIN_MS, {
    fault: 'first ok after the start of the killed process',
    trials: `${recoveries.length} restarts`,
    figure: `at most ${seconds(longestMs)}`,
    bar: `≤ ${seconds(FIRST_OK_WITHIN_MS)}`,
  });
}

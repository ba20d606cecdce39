import { mixedSubmissions, pause, submitAll } from '@offizin/testkit/load/submissions';
import { kill } from '../faults/processes';
import { type Guarantee, verdict } from '../guarantee';
import { firstOkAfter, judgeSubmissions, seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const OK_AGAIN_WITHIN_MS = 5_000;

export const databaseCrash: Guarantee = {
  id: 'G2',
  promise: 'The same through a database crash',
  isShort: false,
  run: async ({ history, random, pick, open, say }) => {
    const trial = await open();
    const receiver = await trial.subscribe('all');
    const database = trial.stack.postgres?.process;
    if (!database) throw new Error('the stack has no database of its own');
    const before = pidsOf(trial);
    const submissions = mixedSubmissions(trial.organization, pick(5_000, 300), 'g2');
    let running = true;
    const loaded = submitAll(submissions, { history, random, submitters: 16, pauseMs: 200 }).finally(
      () => (running = false),
    );
    const recoveries: number[] = [];
    for (let crash = 0; crash < pick(8, 1); crash++) {
      await Promise.race([loaded, pause(random.between(1_000, 4_000))]);
      if (!running) break;
      await kill(database, history);
      await pause(random.between(0, 1_500));
      await database.start();
      await database.ready(60_000);
      const acceptsAtMs = Date.now();
      history.note('postgres accepts connections', acceptsAtMs);
      const first = (via: string): number | null => firstOkAfter(history.operations, acceptsAtMs, [via]);
      while ((first('connector') === null || first('gateway') === null) && running) await pause(50);
      recoveries.push(Math.max(first('connector') ?? 0, first('gateway') ?? 0));
      say(`postgres killed, both ways ok ${seconds(recoveries.at(-1) ?? 0)} after it accepted connections`);
    }
    await loaded;
    const fault = `${recoveries.length} × SIGKILL of PostgreSQL, 16 submitters`;
    const exited = Object.keys(before).filter((name) => pidsOf(trial)[name] !== before[name]);
    const longestMs = Math.max(0, ...recoveries);
    return [
      ...(await judgeSubmissions(trial, history, receiver, { fault, rowsAtLeast: submissions.length })),
      verdict(longestMs <= OK_AGAIN_WITHIN_MS && exited.length === 0, {
        fault: 'ok again once it accepts connections; apps that ended',
        trials: `${recoveries.length} crashes`,
        figure: `at most ${seconds(longestMs)}; ${exited.length} ended`,
        bar: `≤ ${seconds(OK_AGAIN_WITHIN_MS)}; 0`,
      }),
    ];
  },
};

function pidsOf({ stack }: Trial): Record<string, number | undefined> {
  return Object.fromEntries(Object.values(stack.apps).map(({ name, pid }) => [name, pid]));
}

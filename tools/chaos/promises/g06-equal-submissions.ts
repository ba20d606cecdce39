import { checkSet } from '../checkers/set-checker';
import { kill, startAgain } from '../faults/processes';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import {
  orderSubmission,
  pause,
  requestSubmission,
  type Submission,
  submitUntilOk,
} from '../load/submitters';
import { storedRows } from '../nothing-lost';
import type { Trial } from '../trial';

const RACERS = 200;

export const equalSubmissions: Guarantee = {
  id: 'G6',
  promise: 'Racing duplicates make one',
  isShort: false,
  run: async (bench) => {
    const trial = await bench.open();
    const rounds = bench.pick(10, 1);
    const verdicts: Verdict[] = [];
    for (const [kind, make] of [
      ['order requests', requestSubmission],
      ['orders', orderSubmission],
    ] as const) {
      const name = kind.replace(' ', '-');
      const plain = keysOf(`g6-${name}`, rounds).map((key) => make(trial.organization, key));
      for (const submission of plain) await race(submission, bench);
      verdicts.push(await judge(trial, bench, `${RACERS} equal ${kind} at once`, plain));
      const killed = keysOf(`g6-${name}-killed`, bench.pick(5, 1)).map((key) =>
        make(trial.organization, key),
      );
      for (const submission of killed) {
        const racing = race(submission, bench);
        await pause(bench.random.between(0, 150));
        const core = trial.stack.apps['order-core'];
        await kill(core, bench.history);
        await startAgain(core, bench.history);
        await racing;
      }
      verdicts.push(await judge(trial, bench, `the same, order-core killed among them`, killed));
    }
    return verdicts;
  },
};

function keysOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

async function race(submission: Submission, { history }: Bench): Promise<void> {
  await Promise.all(Array.from({ length: RACERS }, () => submitUntilOk(submission, { history })));
}

async function judge(
  trial: Trial,
  { history }: Bench,
  fault: string,
  submissions: readonly Submission[],
): Promise<Verdict> {
  const keys = new Set(submissions.map(({ key }) => key));
  const operations = history.operations.filter(({ key }) => keys.has(key));
  const rows = (await storedRows(trial)).filter(({ key }) => keys.has(key));
  const set = checkSet(operations, rows);
  const oks = operations.filter(({ outcome }) => outcome === 'ok');
  const ids = new Map(submissions.map(({ key }) => [key, new Set<string | null>()]));
  for (const { key, id } of oks) ids.get(key)?.add(id);
  const several = [...ids].filter(([, set]) => set.size !== 1).map(([key]) => key);
  const refused = operations
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ key, status }) => `${key} ${status}`);
  const wrong = [...set.lost, ...set.doubled, ...set.mistaken, ...several, ...refused];
  return verdict(wrong.length === 0 && oks.length >= RACERS * submissions.length, {
    fault,
    trials: `${submissions.length} races, ${oks.length} × ok`,
    figure: `rows per race ${rows.length / submissions.length}, wrong ${some(wrong)}`,
    bar: '1 row, 1 id in every ok',
  });
}

import type { AppName } from '@offizin/local-stack/apps';
import {
  adjustmentSubmission,
  orderSubmission,
  pause,
  requestSubmission,
  type Submission,
  submitUntilOk,
} from '@offizin/testkit/load/submissions';
import { checkSet } from '../checkers/checkers';
import { kill, startAgain } from '../faults/processes';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
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
      verdicts.push(judge(bench, await storedRows(trial), `${RACERS} equal concurrent ${kind}`, plain));
      const killed = keysOf(`g6-${name}-killed`, bench.pick(5, 1)).map((key) =>
        make(trial.organization, key),
      );
      for (const submission of killed) await raceAndKill(trial, 'order-core', submission, bench);
      const fault = 'the same, order-core killed among them';
      verdicts.push(judge(bench, await storedRows(trial), fault, killed));
    }
    return [...verdicts, await equalAdjustments(trial, bench)];
  },
};

async function equalAdjustments(trial: Trial, bench: Bench): Promise<Verdict> {
  const [p1Id = ''] = await trial.platform.catalogProducts(1);
  await trial.organization.stock(p1Id, 5);
  const submissions = keysOf('g6-idempotency-key', bench.pick(10, 2)).map((key) =>
    adjustmentSubmission(trial.organization, key, p1Id),
  );
  for (const submission of submissions) await raceAndKill(trial, 'catalog', submission, bench);
  const rows = await trial.sql<{ key: string; id: string }>(
    'SELECT note AS key, id::text FROM catalog.stock_log WHERE org_id = $1 AND note IS NOT NULL',
    trial.organization.orgId,
  );
  const fault = `${RACERS} equal adjustments of stock with one Idempotency-Key and no reference, catalog killed among them`;
  return judge(bench, rows, fault, submissions);
}

async function raceAndKill(
  trial: Trial,
  victim: AppName,
  submission: Submission,
  bench: Bench,
): Promise<void> {
  const racing = race(submission, bench);
  await pause(bench.random.between(0, 150));
  const process = trial.stack.apps[victim];
  await kill(process, bench.history);
  await startAgain(process, bench.history);
  await racing;
}

function keysOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

async function race(submission: Submission, { history }: Bench): Promise<void> {
  await Promise.all(Array.from({ length: RACERS }, () => submitUntilOk(submission, { history })));
}

function judge(
  { history }: Bench,
  stored: readonly { key: string; id: string }[],
  fault: string,
  submissions: readonly Submission[],
): Verdict {
  const keys = new Set(submissions.map(({ key }) => key));
  const operations = history.operations.filter(({ key }) => keys.has(key));
  const rows = stored.filter(({ key }) => keys.has(key));
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

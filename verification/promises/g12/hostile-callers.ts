import { isDeepStrictEqual } from 'node:util';
import type { AppName } from '@offizin/local-stack/apps';
import { type Target, targetAt } from '@offizin/testkit/edge-target';
import { callConnector } from '@offizin/testkit/load/calls';
import type { RawAnswer } from '@offizin/testkit/raw-http';
import {
  badUtf8,
  compressedBody,
  deepJson,
  hostilePdf,
  hugeBody,
  wholeBody,
} from '../faults/hostile-callers';
import { memoryMb, watchMemory } from '../faults/processes';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const WATCHED: AppName[] = ['gateway', 'connector-edge', 'order-core'];
const MEMORY_MB_AT_MOST = 16;
const LAG_P99_MS_AT_MOST = 50;

export const hostileCallers: Guarantee = {
  id: 'G12',
  promise: 'Hostile size and pace',
  // It measures times, which depend on other load of the machine: not for `npm test`.
  isShort: false,
  run: async (bench) => {
    const trial = await bench.open();
    const targets = targetsOf(trial);
    // Memory that any work retains must exist before the measurement.
    for (const target of targets) await attack(target, 1);
    const heap = watch(trial);
    const verdicts: Verdict[] = [];
    for (const target of targets) verdicts.push(await judgeAnswers(target, bench.pick(20, 4)));
    const { growthMb, lags } = await heap();
    verdicts.push(memoryVerdict(growthMb), lagVerdict('meanwhile', lags));
    verdicts.push(await tryPdfs(trial, bench));
    return verdicts;
  },
};

type NamedTarget = Target & { name: string };

function targetsOf({ organization }: Trial): NamedTarget[] {
  return [
    { name: 'gateway, orders', ...targetAt('gateway', organization) },
    { name: 'gateway, order requests', ...targetAt('gateway', organization, '/order-requests') },
    { name: 'connector', ...targetAt('connector-edge', organization) },
  ];
}

const EXPECTED = { announced: 413, unannounced: 413, compressed: 415, deep: 400, utf8: 400 };

async function attack(target: Target, times: number): Promise<Record<keyof typeof EXPECTED, RawAnswer[]>> {
  const repeat = async (send: () => Promise<RawAnswer>): Promise<RawAnswer[]> => {
    const answers: RawAnswer[] = [];
    for (let time = 0; time < times; time++) answers.push(...(await Promise.all([send(), send()])));
    return answers;
  };
  return {
    announced: await repeat(() => hugeBody(target, true)),
    unannounced: await repeat(() => hugeBody(target, false)),
    compressed: await repeat(() => compressedBody(target)),
    deep: await repeat(() => wholeBody(target, deepJson())),
    utf8: await repeat(() => wholeBody(target, badUtf8())),
  };
}

async function judgeAnswers(target: NamedTarget, times: number): Promise<Verdict> {
  const answers = await attack(target, times);
  const statuses = Object.fromEntries(
    Object.entries(answers).map(([kind, all]) => [
      kind,
      [...new Set(all.map(({ status }) => status))].join(' and '),
    ]),
  );
  const wanted = Object.fromEntries(Object.entries(EXPECTED).map(([kind, status]) => [kind, String(status)]));
  const all = Object.values(answers).flat();
  return verdict(isDeepStrictEqual(statuses, wanted), {
    fault: `100 MB with and without a length, gzip, 20,000-deep JSON, bad UTF-8: ${target.name}`,
    trials: `${all.length} calls`,
    figure: `${Object.values(statuses).join(', ')}; the slowest ${seconds(Math.max(...all.map(({ durationMs }) => durationMs)))}`,
    bar: Object.values(wanted).join(', '),
  });
}

function memoryVerdict(growthMb: PerProcess | null): Verdict {
  const row = {
    fault: 'memory of edges and core meanwhile',
    trials: 'looked at every 100 ms',
    bar: `+${MEMORY_MB_AT_MOST} MB at most`,
  };
  if (growthMb === null) return { ...row, figure: 'skipped: no /proc here', result: 'skipped' };
  const most = Math.max(...growthMb.values());
  const figure = `${most.toFixed(0)} MB more at most (${eachOf(growthMb)})`;
  return verdict(most <= MEMORY_MB_AT_MOST, { ...row, figure });
}

function eachOf(figures: PerProcess): string {
  return [...figures].map(([name, figure]) => `${name} ${figure.toFixed(0)}`).join(', ');
}

function lagVerdict(what: string, lags: PerProcess): Verdict {
  const worst = Math.max(...lags.values());
  return verdict(worst <= LAG_P99_MS_AT_MOST, {
    fault: `event loops of edges and core ${what}`,
    trials: 'the worst of the three',
    figure: `p99 ${seconds(worst)} (${eachOf(lags)})`,
    bar: `≤ ${LAG_P99_MS_AT_MOST} ms`,
  });
}

/** Order requests with hostile PDFs of ten megabytes, one after the other. */
async function tryPdfs(trial: Trial, { pick, history }: Bench): Promise<Verdict> {
  history.note('hostile PDFs');
  const base64 = hostilePdf().toString('base64');
  const measure = watch(trial);
  const count = pick(20, 4);
  const statuses: (number | null)[] = [];
  for (let index = 0; index < count; index++) {
    const payload = { customer_name: `Erika ${index}`, prescription_pdf_base64: base64 };
    statuses.push((await callConnector(trial.organization, 'POST', { payload })).status);
  }
  const { lags } = await measure();
  const wrong = statuses.filter((status) => status !== 200 && status !== 400);
  const judged = lagVerdict(`with ${count} hostile PDFs of 10 MiB`, lags);
  return wrong.length === 0
    ? judged
    : { ...judged, result: 'broken', figure: `${judged.figure}; ${wrong.join(' ')}` };
}

type PerProcess = ReadonlyMap<AppName, number>;

/** Watches memory and event loops until the returned function is called. */
function watch(trial: Trial): () => Promise<{ growthMb: PerProcess | null; lags: PerProcess }> {
  const processes = WATCHED.map((name) => trial.stack.apps[name]);
  const before = processes.map((process) => memoryMb(process));
  const peaks = watchMemory(processes);
  // Reading resets the event loop metrics.
  const begun = lagOf(trial);
  return async () => {
    await begun;
    const most = await peaks();
    const growths = most.map((peak, place) => peak - (before[place] ?? 0));
    const growthMb = new Map(WATCHED.map((name, place) => [name, growths[place] ?? 0] as const));
    return { growthMb: before.includes(null) ? null : growthMb, lags: await lagOf(trial) };
  };
}

/** The p99 of each watched process since the last reading, in ms. */
async function lagOf(trial: Trial): Promise<PerProcess> {
  const lags = await Promise.all(
    WATCHED.map(async (name) => {
      const text = await (await fetch(`${trial.stack.apps[name].managementUrl}/metrics`)).text();
      const found = /^offizin_nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)/m.exec(text)?.[1];
      return [name, Number(found ?? NaN) * 1_000] as const;
    }),
  );
  return new Map(lags);
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@offizin/local-stack/postgres';
import { TcpProxy } from '@offizin/local-stack/tcp-proxy';
import { eventually } from '@offizin/testkit/eventually';
import { type CallAnswer, callApi, callConnector, statusesOf } from '@offizin/testkit/load/calls';
import {
  mixedSubmissions,
  pause,
  requestSubmission,
  submitAll,
  submitUntilOk,
} from '@offizin/testkit/load/submissions';
import { percentile } from '@offizin/testkit/load/tally';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import { judgeSubmissions, seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const ANSWERED_WITHIN_MS = 5_000;
const RECOVERED_WITHIN_MS = 10_000;
const SLOWER_BY_MS = 300;

export const databaseHole: Guarantee = {
  id: 'G11',
  promise: 'Database black-holed or slow',
  isShort: false,
  run: async (bench) => {
    const proxy = await databaseBehindProxy(bench);
    const trial = await bench.open({ databaseUrl: proxy.url });
    const receiver = await trial.subscribe('all');
    const { history, random, pick } = bench;
    const loaded = submitAll(mixedSubmissions(trial.organization, pick(400, 100), 'g11'), {
      history,
      random,
      submitters: 8,
      pauseMs: 500,
    });
    return [
      ...(await tryHole(trial, proxy.tcp, bench)),
      await trySlow(trial, proxy.tcp, bench),
      ...(await loaded.then(() =>
        judgeSubmissions(trial, history, receiver, { fault: 'through both, 8 submitters' }),
      )),
    ];
  },
};

/** A separate PostgreSQL behind a proxy that can be closed. */
async function databaseBehindProxy({ atEnd }: Bench): Promise<{ tcp: TcpProxy; url: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'offizin-chaos-postgres-'));
  const postgres = await startPostgres({ dataDir, adminPassword: 'chaos' });
  const tcp = await TcpProxy.start(() => [postgres.port]);
  atEnd(async () => {
    await tcp.close();
    await postgres.process.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const url = new URL(postgres.adminUrl);
  url.port = String(tcp.port);
  return { tcp, url: url.toString() };
}

/** One call of each kind, over and over, by several callers each. */
async function callAround({ history }: Bench, trial: Trial, goesOn: () => boolean): Promise<CallAnswer[]> {
  const { organization } = trial;
  const shop_id = organization.shops[0].shopId;
  const request = (): object => ({
    payload: { customer_name: 'Erika', items: [{ name: 'Salbe', quantity: 1, price: 1 }] },
  });
  const first = requestSubmission(organization, `g11-first-${Math.round(performance.now())}`);
  const id = (await submitUntilOk(first, { history })).id ?? '';
  let count = 0;
  const order = (): object => ({ shop_id, external_id: `g11-around-${count++}` });
  const kinds: (() => Promise<CallAnswer>)[] = [
    () => callConnector(organization, 'POST', request()),
    () => callConnector(organization, `GET /${id}`),
    () => callApi(organization, 'POST /orders', order()),
    () => callApi(organization, 'POST /orders', order(), { headers: { 'idempotency-key': `g11-${count}` } }),
    () => callApi(organization, 'GET /orders'),
    () => callApi(organization, 'GET /shops'),
    () => callApi(organization, 'GET /inventory'),
    () => callApi(organization, 'GET /webhooks'),
    () => callApi(organization, `POST /order-requests/${id}/approve`, {}),
    () => callApi(organization, `GET /order-requests/${id}`),
  ];
  const answers: CallAnswer[] = [];
  await Promise.all(
    [...kinds, ...kinds, ...kinds].map(async (kind) => {
      while (goesOn()) {
        const answer = await kind();
        answers.push(answer);
        if (answer.durationMs > ANSWERED_WITHIN_MS)
          history.note(`${kind.toString()}: ${answer.status} after ${answer.durationMs} ms: ${answer.body}`);
        await pause(50);
      }
    }),
  );
  return answers;
}

async function tryHole(trial: Trial, proxy: TcpProxy, bench: Bench): Promise<Verdict[]> {
  const { pick, history, say } = bench;
  let isOver = false;
  const calling = callAround(bench, trial, () => !isOver);
  await pause(1_000);
  history.note('database black-holed');
  await proxy.become('hole');
  await pause(pick(30_000, 10_000));
  isOver = true;
  const answers = await calling;
  await proxy.become('pass');
  const healedAt = performance.now();
  history.note('database reachable');
  await eventually(
    'all ways to be ok again',
    async () => {
      const all = await Promise.all([
        callConnector(trial.organization, 'POST', {
          payload: { customer_name: 'Erika', items: [{ name: 'Salbe', quantity: 1, price: 1 }] },
        }),
        ...['/orders', '/shops', '/webhooks'].map((path) => callApi(trial.organization, `GET ${path}`)),
      ]);
      return all.every(({ status }) => status === 200);
    },
    60_000,
  ).catch(() => undefined);
  const recoveredMs = performance.now() - healedAt;
  const longestMs = Math.max(...answers.map(({ durationMs }) => durationMs));
  say(statusesOf(answers));
  return [
    verdict(
      longestMs <= ANSWERED_WITHIN_MS && answers.every(({ status }) => status !== null && status !== 500),
      {
        fault: `every packet dropped for ${pick(30, 10)} s`,
        trials: `${answers.length} calls of 10 kinds: ${statusesOf(answers)}`,
        figure: `answered within ${seconds(longestMs)}`,
        bar: `≤ ${seconds(ANSWERED_WITHIN_MS)}`,
      },
    ),
    verdict(recoveredMs <= RECOVERED_WITHIN_MS, {
      fault: 'reachable again',
      trials: '1 recovery',
      figure: `all ways ok after ${seconds(recoveredMs)}`,
      bar: `≤ ${seconds(RECOVERED_WITHIN_MS)}`,
    }),
  ];
}

async function trySlow(trial: Trial, proxy: TcpProxy, bench: Bench): Promise<Verdict> {
  const { pick, say } = bench;
  // The delay holds for new connections only, so existing ones are cut.
  proxy.delayMs = SLOWER_BY_MS;
  await proxy.become('reset');
  await proxy.become('pass');
  await pause(1_000);
  const until = performance.now() + pick(15_000, 5_000);
  const answers = await callAround(bench, trial, () => performance.now() < until);
  proxy.delayMs = 0;
  await proxy.become('reset');
  await proxy.become('pass');
  const durations = answers.map(({ durationMs }) => durationMs);
  const longestMs = Math.max(...durations);
  say(statusesOf(answers));
  return verdict(
    longestMs <= ANSWERED_WITHIN_MS && answers.every(({ status }) => status !== null && status !== 500),
    {
      fault: `+${SLOWER_BY_MS} ms per answer of the database`,
      trials: `${answers.length} calls of 10 kinds: ${statusesOf(answers)}`,
      figure: `p50 ${seconds(percentile(durations, 0.5))}, at most ${seconds(longestMs)}`,
      bar: `≤ ${seconds(ANSWERED_WITHIN_MS)}`,
    },
  );
}

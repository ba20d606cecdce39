import { type ProxyMode, TcpProxy } from '@offizin/local-stack/tcp-proxy';
import { inParallel, type CallAnswer, callConnector, statusesOf, textIn } from '@offizin/testkit/load/calls';
import { pause } from '@offizin/testkit/load/submissions';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const FAULTS: { mode: ProxyMode; name: string; withinMs: number }[] = [
  { mode: 'refuse', name: 'connections refused', withinMs: 1_000 },
  { mode: 'reset', name: 'connections reset', withinMs: 1_000 },
  { mode: 'hole', name: 'silent', withinMs: 5_000 },
];

export const coreUnreachable: Guarantee = {
  id: 'G10',
  promise: 'core unreachable: the edge reports it in time',
  isShort: false,
  run: async (bench) => {
    let corePort = 0;
    const proxy = await TcpProxy.start(() => [corePort]);
    bench.atEnd(() => proxy.close());
    const trial = await bench.open({
      extraEnv: { 'connector-edge': { ORDER_CORE_URL: `http://127.0.0.1:${proxy.port}` } },
      onPorts: (ports) => (corePort = ports['order-core']),
    });
    const verdicts: Verdict[] = [];
    for (const fault of FAULTS) verdicts.push(await tryFault(trial, proxy, fault, bench));
    return verdicts;
  },
};

/** Calls that begin before the fault, and calls during it: each gets the contract's answer in time. */
async function tryFault(
  trial: Trial,
  proxy: TcpProxy,
  { mode, name, withinMs }: (typeof FAULTS)[number],
  { pick, random }: Bench,
): Promise<Verdict> {
  const id = await trial.organization.submit(requestBody());
  const calls = pick(200, 40);
  const answers: CallAnswer[] = [];
  const oneCall = (index: number): Promise<CallAnswer> =>
    index % 4 === 0
      ? callConnector(trial.organization, `GET /${id}`)
      : callConnector(trial.organization, 'POST', requestBody());
  const before = inParallel(20, oneCall);
  await pause(random.between(0, 10));
  await proxy.become(mode);
  const startedAt = performance.now();
  answers.push(...(await inParallel(calls / 2, oneCall)), ...(await inParallel(calls / 2, oneCall)));
  const caught = (await before).filter(({ status }) => status !== 200);
  await proxy.become('pass');
  const wrong = [...answers, ...caught].filter(
    (answer) =>
      answer.status !== 502 || textIn(answer, 'error') !== 'core_unreachable' || !textIn(answer, 'message'),
  );
  const longestMs = Math.max(...[...answers, ...caught].map(({ durationMs }) => durationMs));
  const back = await callConnector(trial.organization, `GET /${id}`);
  return verdict(wrong.length === 0 && longestMs <= withinMs && back.status === 200, {
    fault: name,
    trials: `${answers.length} calls in ${seconds(performance.now() - startedAt)}, ${caught.length} caught under way`,
    figure: `${wrong.length === 0 ? 'all 502 core_unreachable' : statusesOf(wrong)}, at most ${seconds(longestMs)}`,
    bar: `502 ≤ ${seconds(withinMs)} with the contract's body`,
  });
}

function requestBody(): { payload: object } {
  return { payload: { customer_name: 'Erika', items: [{ name: 'Salbe', quantity: 1, price: 1 }] } };
}

import { appNames } from '@offizin/local-stack/apps';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { StolenProcess } from '@offizin/testkit/stolen-process';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import { callApi } from '../load/caller';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const REVOKED_WITHIN_MS = 2_000;
/** The short run shares its machine with other tests. */
const REVOKED_WITHIN_SHORT_MS = 10_000;

/** Each process is stolen in turn: its NATS login and its keys. The attacks are those of libs/testkit/stolen-process.ts. */
export const stolenProcess: Guarantee = {
  id: 'G24',
  promise: 'One stolen process does not open the house',
  isShort: true,
  run: async (bench) => {
    const trial = await bench.open();
    const verdicts: Verdict[] = [];
    for (const name of appNames) {
      bench.history.note(`${name} is stolen`);
      const { urls, secrets, natsOperator } = trial.stack;
      const thief = await StolenProcess.take(name, {
        natsUrl: natsOperator.url,
        natsPasswords: secrets.natsPasswords,
        callKeys: secrets.callKeys,
        orderCoreUrl: urls.orderCore,
      });
      bench.atEnd(() => thief.close());
      verdicts.push(...(await attack(trial, thief, bench)));
    }
    return verdicts;
  },
};

/** All attacks, over and over, while others call and a key is revoked. */
async function attack(trial: Trial, thief: StolenProcess, { pick }: Bench): Promise<Verdict[]> {
  const { organization } = trial;
  const succeeded: string[] = [];
  const answers: string[] = [];
  let isOver = false;
  let rounds = 0;
  const attacking = async (): Promise<void> => {
    while (!isOver || rounds === 0) {
      succeeded.push(...(await thief.writes()), ...(await thief.replies()));
      succeeded.push(...(await thief.forgedCalls(organization.orgId)), ...(await thief.brokerCalls()));
      succeeded.push(...(await thief.forgedRequests(organization.orgId)));
      rounds++;
    }
  };
  const calling = async (): Promise<void> => {
    while (!isOver)
      for (const path of ['/orders?limit=1', '/shops', '/webhooks'])
        answers.push(String((await callApi(organization, 'GET', path)).status));
  };
  const working = Promise.all([attacking(), calling()]);
  const revocations: number[] = [];
  try {
    for (let count = 0; count < pick(10, 2); count++) revocations.push(await revokeMs(trial));
  } finally {
    isOver = true;
    await working;
  }
  const refused = answers.filter((status) => status !== '200');
  const slowest = Math.max(...revocations);
  const withinMs = pick(REVOKED_WITHIN_MS, REVOKED_WITHIN_SHORT_MS);
  return [
    verdict(succeeded.length === 0, {
      fault: `login and keys of ${thief.name}: forged calls, foreign replies, writes, streams`,
      trials: `${rounds} × all attacks`,
      figure: `${some(succeeded)} succeeded`,
      bar: '0',
    }),
    verdict(refused.length === 0 && slowest <= withinMs, {
      fault: `the others meanwhile, and a key that is revoked`,
      trials: `${answers.length} calls, ${revocations.length} keys`,
      figure: `${some(refused)} refused; a revoked key lives ${seconds(slowest)} at most`,
      bar: `0; ≤ ${seconds(withinMs)}`,
    }),
  ];
}

/** Time from the revocation of a new key until its token opens nothing any more. */
async function revokeMs({ platform, organization }: Trial): Promise<number> {
  const { id, text } = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
  const token = await eventually('the new key to be known', async () => {
    const answer = await organization.exchange(text);
    return answer.status === 200 && json<{ access_token: string }>(answer).access_token;
  });
  const headers = { authorization: `Bearer ${token}` };
  const startedAtMs = performance.now();
  const revoked = await organization.api('DELETE', `/api-keys/${id}`);
  if (revoked.status !== 204) throw new Error(`a revocation was answered ${revoked.status}`);
  await eventually('the key to be dead', async () => {
    const { status } = await organization.api('GET', '/orders?limit=1', undefined, headers);
    return status === 401;
  });
  return performance.now() - startedAtMs;
}

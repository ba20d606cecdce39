import { Agent } from 'node:http';
import { codeOf, http, type HttpAnswer } from '@offizin/testkit/http';
import { TestPerson } from '@offizin/testkit/person';
import { TestPlatform } from '@offizin/testkit/platform';

/** Sign-ins from networks that are new, beside known callers who keep the password work busy. Loopback: each a network. */
const NEW_NETWORKS = ['127.101.0.1', '127.102.0.1', '127.103.0.1'];
const LIMIT_MS = 60_000;

let platform: TestPlatform;
let stranger: TestPerson;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  stranger = (await platform.staffed('pharmacist')).person;
}, LIMIT_MS);
afterAll(() => platform.close());

function signIn(from: string, { email, password }: { email: string; password: string }): Promise<HttpAnswer> {
  const { baseUrl, pageHeaders: headers } = stranger;
  const agent = new Agent({ localAddress: from });
  return http(`${baseUrl}/console/api/sign-in`, {
    method: 'POST',
    headers,
    body: { email, password },
    agent,
  });
}

/** Statuses of the calls of `callers`, repeated until `work` has ended. */
async function beside(callers: (() => Promise<HttpAnswer>)[], work: () => Promise<void>): Promise<string[]> {
  let isOver = false;
  const flood = callers.map(async (call) => {
    const codes: string[] = [];
    while (!isOver) codes.push(codeOf(await call()));
    return codes;
  });
  await work().finally(() => (isOver = true));
  return (await Promise.all(flood)).flat();
}

async function expectAllIn(networks: readonly string[]): Promise<void> {
  const codes: string[] = [];
  for (const from of networks) codes.push(codeOf(await signIn(from, stranger)));
  expect(codes).toEqual(networks.map(() => '200'));
}

/** Calls that confirm by the right password, of one person in `count` sessions. */
async function confirmations(count: number): Promise<(() => Promise<HttpAnswer>)[]> {
  const { person } = await platform.staffed('clerk');
  const { baseUrl, password } = person;
  const sessions = Array.from({ length: count }, () => new TestPerson(baseUrl, person));
  for (const session of sessions) await session.signIn();
  return sessions.map((session) => () => session.call('POST', '/api/session/confirm', { password }));
}

it(
  'lets them in beside one person who confirms in many sessions',
  async () => {
    const codes = await beside(await confirmations(6), () => expectAllIn(NEW_NETWORKS));
    expect(codes).toContain('204');
  },
  LIMIT_MS,
);

it(
  'limits the confirmations of a person, whatever the sessions',
  async () => {
    const calls = await confirmations(2);
    const burst = await Promise.all(Array.from({ length: 10 }, () => calls.map((call) => call())).flat());
    const refused = burst.filter((answer) => codeOf(answer) === '429 rate_limited');
    expect(refused.length).toBeGreaterThanOrEqual(8);
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  },
  LIMIT_MS,
);

it(
  'lets them in beside wrong passwords from many known networks',
  async () => {
    const known = Array.from({ length: 10 }, (_, index) => `127.${110 + index}.0.1`);
    for (const from of known) expect((await signIn(from, stranger)).status).toBe(200);
    // Failures lock an e-mail; no person has these.
    const calls = known.map((from, index) => {
      const wrong = { email: `nobody-${index}@example.com`, password: 'a wrong password' };
      return () => signIn(from, wrong);
    });
    const others = NEW_NETWORKS.map((from) => from.replace('127.1', '127.2'));
    const codes = await beside(calls, () => expectAllIn(others));
    expect(codes).toContain('401 unauthorized');
  },
  LIMIT_MS,
);

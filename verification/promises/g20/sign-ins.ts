import { Agent } from 'node:http';
import { http } from '@offizin/testkit/http';
import type { TestPerson } from '@offizin/testkit/person';
import { type Bench, verdict, type Verdict } from '../guarantee';
import type { Trial } from '../trial';

const FLOOD_NETWORKS = 200;
const TRIES = 6;

/**
 * Sign-ins beside a flood of wrong passwords from many networks of one provider. Loopback addresses represent networks.
 */
export async function signIns({ platform, organization }: Trial, { say }: Bench): Promise<Verdict[]> {
  const person = await platform.person(organization.orgId, 'clerk');
  const known = '127.80.0.1';
  await tries(person, [known]);
  let isOver = false;
  const flood = Array.from({ length: FLOOD_NETWORKS }, async (_, index) => {
    const statuses: number[] = [];
    const from = `127.66.1.${index + 1}`;
    // Each with a separate e-mail: failures lock an e-mail, and no person has these.
    const email = `nobody-${index}@example.com`;
    while (!isOver) statuses.push(await signIn(person, from, { email, password: 'a wrong password' }));
    return statuses;
  });
  const elsewhere = Array.from({ length: TRIES }, (_, index) => `127.${90 + index}.0.1`);
  const sameProvider = Array.from({ length: TRIES }, (_, index) => `127.66.2.${index + 1}`);
  const fromKnown = await tries(person, Array<string>(TRIES).fill(known));
  const fromElsewhere = await tries(person, elsewhere);
  const fromSame = await tries(person, sameProvider);
  isOver = true;
  const answers = (await Promise.all(flood)).flat();
  const tried = answers.filter((status) => status === 401).length;
  say(
    `flood: ${tried} of ${answers.length} passwords were tried; networks beside it: ${fromSame} of ${TRIES}`,
  );
  const row = (who: string, count: number): Verdict =>
    verdict(count === TRIES, {
      fault: `sign-ins beside a flood of wrong passwords from ${FLOOD_NETWORKS} networks: ${who}`,
      trials: `${TRIES} people; of the flood ${tried} of ${answers.length} tried, beside it in its /16 ${fromSame} of ${TRIES}`,
      figure: `${count} signed in`,
      bar: 'all',
    });
  return [row('known networks', fromKnown), row('new networks elsewhere', fromElsewhere)];
}

async function tries(person: TestPerson, addresses: readonly string[]): Promise<number> {
  let signedIn = 0;
  for (const address of addresses) if ((await signIn(person, address)) === 200) signedIn += 1;
  return signedIn;
}

async function signIn(
  { baseUrl, email, password, pageHeaders: headers }: TestPerson,
  from: string,
  body = { email, password },
): Promise<number> {
  const agent = new Agent({ localAddress: from });
  return (await http(`${baseUrl}/console/api/sign-in`, { method: 'POST', headers, body, agent })).status;
}

import type { Role } from '@offizin/contracts/people/roles';
import { TestPerson } from '@offizin/testkit/person';
import { accessTo, TestPlatform } from '@offizin/testkit/platform';
import type { Bench } from '../bench';
import type { HttpRequest } from '../load/job';
import type { Tenant } from './tenants';

/** People of a pharmacy, invited and signed in as people are. They are made anew at each run, their sessions with them. */
export async function peopleOf(
  bench: Bench,
  { orgId }: Tenant,
  role: Role,
  count: number,
): Promise<TestPerson[]> {
  const platform = await TestPlatform.connect(accessTo(bench.stack));
  try {
    const people: TestPerson[] = [];
    while (people.length < count) people.push(await platform.person(orgId, role));
    return people;
  } finally {
    await platform.close();
  }
}

/** The person once more: the same one, at another computer. */
export async function anotherSession(
  bench: Bench,
  { id, orgId, email, password }: TestPerson,
): Promise<TestPerson> {
  const again = new TestPerson(bench.stack.urls.gateway, { id, orgId, email, password });
  await again.signIn();
  return again;
}

/** One caller would soon reach the rate limit of one session, which no bench setting lifts. */
const SESSIONS_OF_CALLER = 12;

/** The cookies of a person's sessions, to take turns. */
export async function sessionsOf(bench: Bench, tenant: Tenant): Promise<TestPerson[]> {
  const [person] = await peopleOf(bench, tenant, 'pharmacist', 1);
  if (!person) throw new Error('nobody was invited');
  const sessions = [person];
  while (sessions.length < SESSIONS_OF_CALLER) sessions.push(await anotherSession(bench, person));
  return sessions;
}

/** A call of the console's page, below the organization. */
export function consoleCall({ cookie, orgId, pageHeaders }: TestPerson, path: string): HttpRequest {
  const headers = { ...pageHeaders, cookie, accept: 'application/json' };
  return { method: 'GET', path: `/console/api/v2/public/orgs/${orgId}${path}`, headers };
}

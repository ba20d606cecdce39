import { ALL_SCOPES } from '@offizin/contracts/scopes';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { callApi } from '../load/caller';
import type { Trial } from '../trial';

const EXPIRES_SOON_MS = 4_000;
/** Shorter than each jump: by a clock that is ahead the key has expired. */
const EXPIRES_LATER_MS = 1_800_000;

/** An API key that has expired, one that expires in half an hour, and a token from before the first jump. */
export interface EndingKeys {
  expired: string;
  lasting: string;
  firstToken: string;
  /** A token of the organization by the clock of now, used once; null when the exchange is refused. */
  tokensNow: () => Promise<string | null>;
}

export async function endingKeys(trial: Trial): Promise<EndingKeys> {
  const { organization, platform } = trial;
  const keyUntil = async (leftMs: number): Promise<string> => {
    const expires_at = new Date(Date.now() + leftMs).toISOString();
    const about = { kind: 'org', scopes: ALL_SCOPES, expires_at } as const;
    return (await platform.apiKey(organization.orgId, about)).text;
  };
  const [expired, lasting] = await Promise.all([keyUntil(EXPIRES_SOON_MS), keyUntil(EXPIRES_LATER_MS)]);
  const statusOf = async (key: string): Promise<number> => (await organization.exchange(key)).status;
  await eventually('the lasting key to be known', async () => (await statusOf(lasting)) === 200);
  await eventually('a key to expire', async () => (await statusOf(expired)) === 401);
  const tokensNow = async (): Promise<string | null> => {
    const answer = await organization.exchange(organization.apiKey.text);
    if (answer.status !== 200) return null;
    const token = json<{ access_token: string }>(answer).access_token;
    await listWith(trial, token);
    return token;
  };
  return { expired, lasting, firstToken: organization.token, tokensNow };
}

/** Mistakes with keys and tokens while all clocks are right. `early` is a token of a clock that was ahead. */
export async function heldKeys(trial: Trial, keys: EndingKeys, early: string | null): Promise<string[]> {
  const { organization } = trial;
  const wrong: string[] = [];
  const expect = (what: string, status: number | null, wanted: number): void => {
    if (status !== wanted) wrong.push(`${what}: ${status}`);
  };
  expect('an expired API key', (await organization.exchange(keys.expired)).status, 401);
  expect('an API key of half an hour', (await organization.exchange(keys.lasting)).status, 200);
  expect('a token from before', await listWith(trial, keys.firstToken), 200);
  if (early !== null) expect('a token from the future', await listWith(trial, early), 401);
  return wrong;
}

async function listWith({ organization }: Trial, token: string): Promise<number | null> {
  const headers = { authorization: `Bearer ${token}` };
  return (await callApi(organization, 'GET', '/orders?limit=1', undefined, { headers })).status;
}

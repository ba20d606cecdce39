import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { testEnvironment } from '@offizin/testkit/environment';
import { codeOf, http, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { type OidcProvider, RedirectFollower, startOidcProvider } from '@offizin/testkit/oidc-provider';
import { letConfirmationAge, type TestPerson } from '@offizin/testkit/person';
import { TestPlatform } from '@offizin/testkit/platform';

/** Single sign-on with a real provider: the way of the browser, and every attack on it. */
const SECRET = 'a secret of the provider, long enough';
const SIGN_ON = '/settings/sign-on';
/** Five sign-ins by password, and two processes. */
const START_LIMIT_MS = 60_000;
const STATE_COOKIE = '__Host-offizin-sign-on';

interface Pharmacy {
  orgId: string;
  owner: TestPerson;
  pharmacist: TestPerson;
  callback: string;
}

let platform: TestPlatform;
let tables: Client;
let own: Pharmacy;
let foreign: Pharmacy;
let baseUrl: string;
let provider: OidcProvider;
let otherProvider: OidcProvider;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  tables = new Client({ connectionString: testEnvironment().databaseUrls['order-core'] });
  await tables.connect();
  [own, foreign] = await Promise.all([pharmacy(), pharmacy()]);
  ({ baseUrl } = own.owner);
  const clientOf = ({ orgId, callback }: Pharmacy) => ({
    clientId: orgId,
    secret: SECRET,
    redirectUri: callback,
  });
  [provider, otherProvider] = await Promise.all([
    startOidcProvider([clientOf(own)]),
    startOidcProvider([clientOf(foreign)]),
  ]);
  await setUp(own, provider.issuer);
  await setUp(foreign, otherProvider.issuer);
}, START_LIMIT_MS);
afterAll(async () => {
  await Promise.all([tables.end(), platform.close(), provider.stop(), otherProvider.stop()]);
});

async function pharmacy(): Promise<Pharmacy> {
  const { orgId } = await platform.organization();
  const [owner, pharmacist] = await Promise.all([
    platform.person(orgId, 'owner'),
    platform.person(orgId, 'pharmacist'),
  ]);
  const { redirect_uri: callback } = json<{ redirect_uri: string }>(await owner.org('GET', SIGN_ON));
  return { orgId, owner, pharmacist, callback };
}

async function setUp({ orgId, owner }: Pharmacy, issuer: string): Promise<void> {
  // As they are read, with what changes.
  const read = json<{ version: number }>(await owner.org('GET', SIGN_ON));
  const chosen = { issuer, client_id: orgId, client_secret: SECRET };
  const answer = await owner.org('PUT', SIGN_ON, { ...read, ...chosen });
  expect(json(answer)).toMatchObject({ issuer, version: read.version + 1 });
}

function startOf({ orgId }: Pharmacy, to?: string): string {
  return `${baseUrl}/console/api/oidc/start?${new URLSearchParams({ org: orgId, ...(to && { to }) }).toString()}`;
}

/** A browser whose person is at the provider with this account. */
function browserOf(account: string): RedirectFollower {
  const browser = new RedirectFollower();
  for (const { issuer } of [provider, otherProvider]) browser.setCookie(issuer, 'account', account);
  return browser;
}

/** Through the provider, up to its answer, which is not yet delivered. `change` alters the question on its way. */
async function answerFor(
  browser: RedirectFollower,
  start: string,
  callback: string,
  change: (question: URL) => void = () => undefined,
): Promise<URL> {
  const { headers } = await browser.get(start);
  const question = new URL(String(headers.location));
  change(question);
  return new URL(await browser.follow(question.href, callback));
}

async function outcomeOf(browser: RedirectFollower, answer: string | URL): Promise<string> {
  const { status, headers } = await browser.get(String(answer));
  expect([status, headers['cache-control']]).toEqual([303, 'no-store']);
  return new URL(String(headers.location), baseUrl).href.slice(baseUrl.length);
}

/** From beginning to end; returns the page that the browser gets. */
async function signOn(
  account: string,
  at = own,
  to?: string,
): Promise<{ browser: RedirectFollower; page: string }> {
  const browser = browserOf(account);
  const answer = await answerFor(browser, startOf(at, to), at.callback);
  return { browser, page: await outcomeOf(browser, answer) };
}

const refusedPage = (refusal: string, { orgId } = own) => `/console/sign-in?org=${orgId}&refused=${refusal}`;

async function sessionOf(browser: RedirectFollower): Promise<Record<string, unknown> | null> {
  const answer = await browser.get(`${baseUrl}/console/api/session`);
  return answer.status === 200 ? json(answer) : null;
}

async function actionsOf({ owner }: Pharmacy, action: string): Promise<string[]> {
  const answer = await owner.org('GET', `/audit-log?action=${action}&limit=100`);
  return json<{ data: { object: string }[] }>(answer).data.map(({ object }) => object);
}

it('signs a known person in with the role of this organization, confirmed by nothing', async () => {
  const { email, id } = own.pharmacist;
  const { browser, page } = await signOn(email.toUpperCase(), own, '/console/orders?status=open');
  expect(page).toBe('/console/orders?status=open');
  const session = await sessionOf(browser);
  expect(session).toMatchObject({
    staff: { id, role: 'pharmacist' },
    org: { id: own.orgId },
    signed_in_by: 'provider',
  });
  expect(Date.parse(String(session?.['confirmed_until']))).toBeLessThan(Date.now());
  expect(browser.cookieOf(baseUrl, STATE_COOKIE)).toBeUndefined();
  const { rows } = await tables.query<{ id: string }>(
    `SELECT id FROM core.staff_sessions WHERE staff_id = $1 AND made_by = 'provider'`,
    [id],
  );
  expect(await actionsOf(own, 'session.sign-on')).toEqual(rows.map((row) => `session:${row.id}`));
});

it('sets a cookie that comes back from the provider, and asks with PKCE, state and nonce', async () => {
  const { headers } = await http(startOf(own));
  const [cookie = ''] = [headers['set-cookie'] ?? ''].flat();
  expect(cookie).toMatch(
    /^__Host-offizin-sign-on=[\w-]{43}; HttpOnly; Secure; SameSite=Lax; Path=\/; Max-Age=600$/,
  );
  const question = Object.fromEntries(new URL(String(headers.location)).searchParams);
  expect(question).toMatchObject({
    client_id: own.orgId,
    redirect_uri: own.callback,
    response_type: 'code',
    scope: 'openid email',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    state: expect.stringMatching(/^[\w-]{43}$/) as string,
    nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
  });
});

describe('a sign-on ends without a session', () => {
  const accounts: [string, () => Promise<string> | string][] = [
    ['unknown', () => 'nobody@elsewhere.example'],
    ['not verified', () => `unverified-${own.pharmacist.email}`],
    ['of another organization', () => foreign.pharmacist.email],
    ['refused by the provider', () => 'refuse'],
    [
      'switched off',
      async () => {
        const person = await platform.person(own.orgId, 'clerk');
        await own.owner.org('PUT', `/staff/${person.id}`, { is_active: false });
        return person.email;
      },
    ],
  ];
  it.each(accounts)('of a person who is %s, with the same page and an audit entry', async (_, account) => {
    const name = await account();
    const before = (await actionsOf(own, 'session.refuse-sign-on')).length;
    const { browser, page } = await signOn(name);
    expect([page, await sessionOf(browser)]).toEqual([refusedPage('refused'), null]);
    expect(await actionsOf(own, 'session.refuse-sign-on')).toHaveLength(before + 1);
  });

  const right = () => own.pharmacist.email;
  /** The answer of the provider, changed on its way. */
  const altered = (change: (answer: URL) => void) => async () => {
    const browser = browserOf(right());
    const answer = await answerFor(browser, startOf(own), own.callback);
    change(answer);
    return { browser, answer };
  };
  const attacks: [string, string, () => Promise<{ browser: RedirectFollower; answer: URL }>][] = [
    ['another state', 'too_old', altered(({ searchParams }) => searchParams.set('state', 'x'.repeat(43)))],
    ['no state', 'too_old', altered(({ searchParams }) => searchParams.delete('state'))],
    [
      'an answer that was used before',
      'too_old',
      async () => {
        const browser = browserOf(right());
        const answer = await answerFor(browser, startOf(own), own.callback);
        const cookie = browser.cookieOf(baseUrl, STATE_COOKIE) ?? '';
        await outcomeOf(browser, answer);
        browser.forget(baseUrl);
        browser.setCookie(baseUrl, STATE_COOKIE, cookie);
        return { browser, answer };
      },
    ],
    [
      'the cookie of another browser',
      'too_old',
      async () => {
        const answer = await answerFor(browserOf(right()), startOf(own), own.callback);
        const browser = browserOf(right());
        await browser.get(startOf(own));
        return { browser, answer };
      },
    ],
    [
      'no cookie',
      'too_old',
      async () => ({
        browser: browserOf(right()),
        answer: await answerFor(browserOf(right()), startOf(own), own.callback),
      }),
    ],
    [
      'a begin that is ten minutes old',
      'too_old',
      async () => {
        const browser = browserOf(right());
        const answer = await answerFor(browser, startOf(own), own.callback);
        const token = browser.cookieOf(baseUrl, STATE_COOKIE) ?? '';
        const hash = createHash('sha256').update(token).digest('hex');
        const { rowCount } = await tables.query(
          `UPDATE core.staff_sign_ons SET expires_at = now() - interval '1 second'
           WHERE hash = $1 AND expires_at BETWEEN now() + interval '9 minutes' AND now() + interval '10 minutes'`,
          [hash],
        );
        expect(rowCount).toBe(1);
        return { browser, answer };
      },
    ],
    [
      'another nonce',
      'refused',
      async () => {
        const browser = browserOf(right());
        const change = ({ searchParams }: URL) => searchParams.set('nonce', 'x'.repeat(43));
        return { browser, answer: await answerFor(browser, startOf(own), own.callback, change) };
      },
    ],
    [
      'a code for another challenge',
      'refused',
      async () => {
        const browser = browserOf(right());
        const change = ({ searchParams }: URL) => searchParams.set('code_challenge', 'x'.repeat(43));
        return { browser, answer: await answerFor(browser, startOf(own), own.callback, change) };
      },
    ],
    [
      'the name of another issuer',
      'refused',
      altered(({ searchParams }) => searchParams.set('iss', otherProvider.issuer)),
    ],
    [
      'an answer without issuer, although the provider names itself',
      'refused',
      altered(({ searchParams }) => searchParams.delete('iss')),
    ],
    [
      'a sign-on that began at another organization (mix-up)',
      'too_old',
      async () => {
        const browser = browserOf(right());
        const theirs = new URL(String((await browser.get(startOf(foreign))).headers.location)).searchParams;
        // The browser holds the cookie of the other organization; the provider of this one answers.
        const change = ({ searchParams }: URL) => searchParams.set('state', theirs.get('state') ?? '');
        const honest = browserOf(right());
        return { browser, answer: await answerFor(honest, startOf(own), own.callback, change) };
      },
    ],
  ];
  it.each(attacks)('by %s', async (_, refusal, attack) => {
    const { browser, answer } = await attack();
    expect(await outcomeOf(browser, answer)).toBe(refusedPage(refusal));
    expect(await sessionOf(browser)).toBeNull();
    expect((await actionsOf(own, 'session.refuse-sign-on')).at(0)).toBe(`organization:${own.orgId}`);
  });

  it('while an owner removes the provider that is being asked', async () => {
    const browser = browserOf(right());
    const answer = await answerFor(browser, startOf(own), own.callback);
    const token = browser.cookieOf(baseUrl, STATE_COOKIE) ?? '';
    const hash = createHash('sha256').update(token).digest('hex');
    provider.pause();
    try {
      const ending = outcomeOf(browser, answer);
      await eventually('the sign-on to be taken', async () => {
        const { rowCount } = await tables.query('SELECT FROM core.staff_sign_ons WHERE hash = $1', [hash]);
        return rowCount === 0;
      });
      expect((await own.owner.org('DELETE', SIGN_ON)).status).toBe(204);
      provider.resume();
      expect([await ending, await sessionOf(browser)]).toEqual([refusedPage('too_old'), null]);
    } finally {
      provider.resume();
      await setUp(own, provider.issuer);
    }
  });

  it('and keeps the page that was asked for', async () => {
    const { page } = await signOn('nobody@elsewhere.example', own, '/console/orders?status=open');
    const to = new URLSearchParams({ to: '/console/orders?status=open' }).toString();
    expect(page).toBe(`${refusedPage('refused')}&${to}`);
  });

  it('for an unknown organization and one without a provider, with the same answer', async () => {
    const none = await pharmacy();
    for (const orgId of [none.orgId, '01890000-0000-7000-8000-000000000000', 'x']) {
      expect(await outcomeOf(browserOf('a'), startOf({ ...none, orgId }))).toBe(
        refusedPage('refused', { ...none, orgId }),
      );
    }
  });

  it('from a page of another site, which could sign its visitor in as somebody', async () => {
    const answer = await http(startOf(own), { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(codeOf(answer)).toBe('403 forbidden');
  });
});

it.each([
  'https://evil.example/console',
  '//evil.example',
  '/console\\..\\\\evil.example',
  '/console/../../api',
])('does not lead to %s afterwards', async (to) => {
  expect((await signOn(own.pharmacist.email, own, to)).page).toBe('/console');
});

describe('the settings', () => {
  const put = (body: object, { owner } = own) => owner.org('PUT', SIGN_ON, body);
  const stored = async () => json(await own.owner.org('GET', SIGN_ON));

  it('never show the secret, which is encrypted, and keep it where none is given', async () => {
    const before = await stored();
    expect(JSON.stringify(before)).not.toContain(SECRET);
    const { rows } = await tables.query<{ client_secret: Buffer }>(
      'SELECT client_secret FROM core.sign_on_providers WHERE org_id = $1',
      [own.orgId],
    );
    expect(rows[0]?.client_secret.includes(SECRET)).toBe(false);
    const { issuer, version } = before;
    expect((await put({ issuer, client_id: own.orgId, version })).status).toBe(200);
    expect((await signOn(own.pharmacist.email)).page).toBe('/console');
    expect(await actionsOf(own, 'sign-on.set')).toContain(`organization:${own.orgId}`);
  });

  it('need the version that was read, and a secret for a new issuer', async () => {
    const { issuer, version } = await stored();
    expect(codeOf(await put({ issuer, client_id: 'a', version: Number(version) - 1 }))).toBe('409 conflict');
    expect(json(await put({ ...(await stored()), by: 'x' }))).toMatchObject({ details: [{ field: 'by' }] });
    const other = await put({ issuer: otherProvider.issuer, client_id: 'a', version });
    expect(json(other)).toMatchObject({ error: 'invalid_request', details: [{ field: 'client_secret' }] });
  });

  it.each([
    ['http://10.0.0.1', /private/],
    ['http://169.254.169.254/latest', /private/],
    ['ftp://provider.example', /must begin with/],
    ['not an address', /must not contain spaces/],
  ])('refuse %s as issuer', async (issuer, message) => {
    const answer = await put({ issuer, client_id: 'a', client_secret: 'b', version: 0 });
    expect(json(answer)).toMatchObject({
      error: 'invalid_request',
      details: [{ field: 'issuer', message: expect.stringMatching(message) as string }],
    });
  });

  it('refuse an address that does not answer as that provider', async () => {
    for (const issuer of [baseUrl, `${provider.issuer}/`, 'http://127.0.0.1:1']) {
      const answer = await put({ issuer, client_id: 'a', client_secret: 'b', version: 0 });
      expect(json(answer)).toMatchObject({ error: 'invalid_request', details: [{ field: 'issuer' }] });
    }
  });

  it('need a recent confirmation, and end what began before', async () => {
    const browser = browserOf(foreign.pharmacist.email);
    const answer = await answerFor(browser, startOf(foreign), foreign.callback);
    await setUp(foreign, otherProvider.issuer);
    expect(await outcomeOf(browser, answer)).toBe(refusedPage('too_old', foreign));
    await letConfirmationAge(foreign.owner);
    expect(codeOf(await foreign.owner.org('DELETE', SIGN_ON))).toBe('403 forbidden');
    const body = { issuer: provider.issuer, client_id: 'a', client_secret: 'b', version: 0 };
    expect(codeOf(await put(body, foreign))).toBe('403 forbidden');
  });
});

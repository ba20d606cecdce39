import { accessOf, type Operation } from '@offizin/contracts/calls/operation';
import { consoleDoorOperations } from '@offizin/contracts/operations';
import { fillPath } from '@offizin/contracts/calls/path-template';
import { type Role, ROLES, scopesOfRole } from '@offizin/contracts/people/roles';
import type { SearchResponse } from '@offizin/contracts/console/search';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, http, type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { unknownThings } from '@offizin/testkit/organization-things';
import { letConfirmationAge, TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { newPharmacy, type Pharmacy, submitRight } from './requests/review-screen';

const platform = usePlatform();

/** The console's door: every operation × role, no session, an ended one, a wrong origin, another organization. */
describe('the door', () => {
  let own: TestOrganization;
  let foreign: TestOrganization;
  let people: Record<Role, TestPerson>;
  let ended: TestPerson;
  const ids: Record<string, string> = { ...unknownThings(), sessionId: NEVER(), staffId: NEVER() };

  beforeAll(async () => {
    [own, foreign] = await Promise.all([platform.organization(), platform.organization()]);
    const [owner, pharmacist, clerk, gone] = await Promise.all(
      [...ROLES, 'owner' as const].map((role) => platform.person(own.orgId, role)),
    );
    if (!owner || !pharmacist || !clerk || !gone) throw new Error('people are missing');
    people = { owner, pharmacist, clerk };
    ended = gone;
    expect((await gone.call('DELETE', '/api/session')).status).toBe(204);
  });

  function NEVER(): string {
    return '01890000-0000-7000-8000-000000000000';
  }

  function pathOf(op: Operation, orgId = own.orgId): string {
    return fillPath(op.path, (name) => (name === 'orgId' ? orgId : (ids[name] ?? NEVER())));
  }

  /** A body that no operation takes: a call that passes the door is a 400 or a 404, and changes nothing. */
  const WRONG = { no_such_field: true };

  function bodyOf(op: Operation): object | undefined {
    return op.method === 'GET' || op.method === 'DELETE' ? undefined : WRONG;
  }

  /** All rows share the rate of one session: repeated until there is room. */
  function answerOf(person: TestPerson, op: Operation, orgId?: string): Promise<HttpAnswer> {
    return eventually('room in the rate of the session', async () => {
      const answer = await person.call(op.method, pathOf(op, orgId), bodyOf(op));
      return answer.status !== 429 && answer;
    });
  }

  const guarded = consoleDoorOperations.filter(({ access }) => access !== 'anyone');
  const named = (ops: readonly Operation[]): [string, Operation][] =>
    ops.map((op) => [`${op.name} (${op.method} ${op.path})`, op]);

  /** These would end the session of the person who calls, or never end themselves (live.e2e.spec.ts). */
  const endsSessions = new Set(['session.sign-out']);
  const neverEnds = new Set(['live.open']);

  describe.each(named(guarded))('%s', (_, op) => {
    it('is for the roles that have its scope', async () => {
      for (const role of ROLES) {
        if (endsSessions.has(op.name) || neverEnds.has(op.name)) continue;
        const answer = await answerOf(people[role], op);
        const access = accessOf(op, true);
        const may = access === 'session' || scopesOfRole(role).some((scope) => scope === access);
        const code = answer.status >= 400 ? codeOf(answer) : 'fine';
        if (may)
          expect([role, code]).not.toEqual([role, expect.stringMatching(/unauthorized|forbidden|scope/)]);
        else expect([role, code]).toEqual([role, '403 insufficient_scope']);
        if (may) expect(answer.status).toBeLessThan(500);
      }
    });

    it('is a 401 without a session, with an ended one and with a token of the API', async () => {
      const path = pathOf(op);
      const { pageHeaders } = people.owner;
      const url = `${own.urls.baseUrl}/console${path}`;
      const options = { method: op.method, ...(bodyOf(op) && { body: WRONG }) };
      const none = await http(url, { ...options, headers: pageHeaders });
      const old = await ended.call(op.method, path, bodyOf(op));
      const authorization = `Bearer ${own.token}`;
      const bearer = await http(url, { ...options, headers: { ...pageHeaders, authorization } });
      for (const answer of [none, old, bearer]) expect(codeOf(answer)).toBe('401 unauthorized');
    });

    it('is refused when the page that calls shows another person', async () => {
      const { pharmacist, owner } = people;
      const headers = { ...owner.pageHeaders, 'x-offizin-staff': pharmacist.id };
      const answer = await owner.call(op.method, pathOf(op), bodyOf(op), headers);
      expect(codeOf(answer)).toBe('401 unauthorized');
    });

    it('is only for the page of the console, and never for another organization', async () => {
      if (endsSessions.has(op.name)) return;
      const { owner } = people;
      const call = (headers: Record<string, string>) =>
        owner.call(op.method, pathOf(op), bodyOf(op), headers);
      const { origin, 'x-offizin-console': mark = '', ...rest } = owner.pageHeaders;
      const isDocument = typeof op.reply === 'string';
      const wrong: Record<string, string>[] =
        op.method === 'GET'
          ? isDocument
            ? [{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }]
            : []
          : [
              { ...rest, 'x-offizin-console': mark },
              { ...rest, 'x-offizin-console': mark, origin: 'https://evil.example' },
              { ...rest, 'x-offizin-console': mark, origin: 'null' },
              { ...rest, origin: origin ?? '' },
              { origin: origin ?? '', 'x-offizin-console': mark, 'sec-fetch-site': 'cross-site' },
            ];
      for (const headers of wrong) {
        const answer = await call(headers);
        expect([headers, codeOf(answer)]).toEqual([headers, '403 forbidden']);
      }
      if (!op.path.includes('{orgId}')) return;
      expect(codeOf(await answerOf(owner, op, foreign.orgId))).toBe('403 forbidden');
    });
  });

  describe('the two doors', () => {
    it('do not take each other’s proof: a cookie is nothing under /api', async () => {
      const url = `${own.urls.baseUrl}/api/v2/public/orgs/${own.orgId}/orders`;
      const answer = await http(url, {
        headers: { cookie: people.owner.cookie, ...people.owner.pageHeaders },
      });
      expect(answer.status).toBe(401);
    });

    it('answer the same in the contract’s shape: unknown path, other method, HEAD, no store', async () => {
      const owner = await platform.person(own.orgId, 'owner');
      const unknown = await owner.call('GET', '/api/v2/public/nothing');
      expect(codeOf(unknown)).toBe('404 not_found');
      const other = await owner.call('PATCH', '/api/session', {});
      expect([other.status, other.headers.allow]).toEqual([405, expect.stringContaining('GET')]);
      const head = await owner.call('HEAD', '/api/session');
      expect([head.status, head.body.length]).toEqual([200, 0]);
      const read = await owner.org('GET', '/review/counts');
      expect([read.status, read.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(read.headers['x-request-id']).toBeDefined();
    });

    it('keep the public description free of the console', async () => {
      const description = await http(`${own.urls.baseUrl}/openapi/external-api.json`);
      expect(description.body.toString()).not.toContain('/console');
      expect(description.body.toString()).not.toContain('/review/');
    });
  });

  describe('a session', () => {
    const untilRefused = async (person: TestPerson): Promise<number> => {
      const startedAt = performance.now();
      await eventually(
        'the session has ended',
        async () => (await person.call('GET', '/api/session')).status === 401,
        2_000,
      );
      return performance.now() - startedAt;
    };

    it('is shown to the person, and to nobody in a readable cookie', async () => {
      const person = await platform.person(own.orgId, 'clerk');
      const answer = await person.call('POST', '/api/sign-in', {
        email: person.email,
        password: person.password,
      });
      expect(json(answer)).toMatchObject({
        next: null,
        pending: null,
        session: { staff: { id: person.id, role: 'clerk' }, org: { id: own.orgId } },
      });
      const [cookie] = [answer.headers['set-cookie']].flat();
      expect(cookie).toMatch(/^__Host-offizin=[\w-]{43}; /);
      for (const part of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(part);
    });

    it('needs a recent confirmation for the secret of a webhook and the domain of a shop', async () => {
      const owner = await platform.person(own.orgId, 'owner');
      const webhook = { url: 'http://127.0.0.1:9/webhooks/service', is_active: false };
      const made = await owner.org('POST', '/webhooks', webhook);
      const rotate = () => owner.org('POST', `/webhooks/${json<{ id: string }>(made).id}/rotate-secret`);
      expect([made.status, (await rotate()).status]).toEqual([201, 200]);
      await letConfirmationAge(owner);
      // A sign-in projects the sessions of the person, and with them the older time.
      await new TestPerson(owner.baseUrl, owner).signIn();
      await eventually('the older confirmation is known', async () => (await rotate()).status === 403);
      expect(codeOf(await owner.org('POST', '/webhooks', webhook))).toBe('403 forbidden');
      const [{ shopId, domain }] = own.shops;
      const change = (body: object) => owner.org('PUT', `/shops/${shopId}`, body);
      const moved = { domain: `moved.${domain}` };
      expect((await change(moved)).status).toBe(403);
      expect((await change({ domain, name: 'Mitte' })).status).toBe(200);
      const { password } = owner;
      expect((await owner.call('POST', '/api/session/confirm', { password })).status).toBe(204);
      // Immediately, whatever the replica of the gateway knows.
      expect([(await rotate()).status, (await change(moved)).status]).toEqual([200, 200]);
      expect((await change({ domain })).status).toBe(200);
      expect((await own.api('POST', '/webhooks', webhook)).status).toBe(201);
    });

    it('ends within 2 s when the person signs out, also at a gateway that knows it', async () => {
      const person = await platform.person(own.orgId, 'clerk');
      await eventually(
        'the session is known',
        async () => (await person.call('GET', '/api/session')).status === 200,
      );
      const { cookie } = person;
      expect((await person.call('DELETE', '/api/session')).headers['clear-site-data']).toContain('"cache"');
      person.cookie = cookie;
      await untilRefused(person);
    });

    it('has the scopes of a changed role within 2 s', async () => {
      const person = await platform.person(own.orgId, 'clerk');
      expect((await person.org('GET', '/review/counts')).status).toBe(403);
      expect((await people.owner.org('PUT', `/staff/${person.id}`, { role: 'pharmacist' })).status).toBe(200);
      await eventually(
        'the new role, or a new sign-in, counts',
        async () => {
          const { status } = await person.org('GET', '/review/counts');
          if (status === 401) await person.signIn();
          return status === 200;
        },
        2_000,
      );
    });
  });
});

describe('search', () => {
  let pharmacy: Pharmacy;
  let clerk: TestPerson;

  beforeAll(async () => {
    pharmacy = await newPharmacy(platform);
    clerk = await platform.person(pharmacy.organization.orgId, 'clerk');
  });

  async function found(person: TestPerson, q: string): Promise<SearchResponse> {
    return json(await person.org('GET', `/search?q=${encodeURIComponent(q)}`));
  }

  it('finds requests, orders and products of the own organization, each as far as the role reads it', async () => {
    const { organization, pharmacist } = pharmacy;
    const p1Id = (await platform.catalogProducts(1))[0] ?? '';
    await organization.stock(p1Id, 3);
    const request = await submitRight(organization, 'Anna Anders');
    const order = await organization.createOrder({ customer_name: 'Bert Anders', order_number: 'B-7' });
    const shown = await found(pharmacist, 'anders');
    expect(shown.requests).toMatchObject([{ id: request, customer_name: 'Anna Anders', status: 'pending' }]);
    expect(shown.orders).toMatchObject([{ id: order.id, order_number: 'B-7', status: 'pending' }]);
    expect([shown.products, shown.products_searched]).toEqual([[], true]);
    expect(await found(clerk, 'anders')).toEqual({ ...shown, requests: [] });
    expect((await found(clerk, p1Id.slice(0, -1))).products.map(({ p1_id }) => p1_id)).toEqual([p1Id]);

    const stranger = await platform.person((await platform.organization()).orgId, 'owner');
    const nothing = { requests: [], orders: [], products: [], products_searched: true };
    for (const q of ['anders', 'B-7', p1Id]) expect(await found(stranger, q)).toEqual(nothing);
    const foreign = await stranger.call('GET', `/api/v2/public/orgs/${organization.orgId}/search?q=anders`);
    expect(codeOf(foreign)).toBe('403 forbidden');
  });

  it('takes white space for nothing, and needs two characters', async () => {
    expect(await found(clerk, '   ')).toMatchObject({ orders: [], products: [] });
    for (const query of ['', '?q=', '?q=a', `?q=${'a'.repeat(101)}`, '?q=%00a'])
      expect(codeOf(await clerk.org('GET', `/search${query}`))).toBe('400 invalid_request');
  });
});

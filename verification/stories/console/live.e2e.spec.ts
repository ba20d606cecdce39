import type { LivePerson } from '@offizin/contracts/console/live';
import { eventually } from '@offizin/testkit/eventually';
import { type GatewayProcess, startGateway } from '@offizin/testkit/gateway-process';
import { codeOf, http, json } from '@offizin/testkit/http';
import { LiveStream, refusedStream } from '@offizin/testkit/live-stream';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';

const platform = usePlatform();

/** The console's stream over real processes: its events by role, its end, and its refusals. */
describe('a stream', () => {
  let own: TestOrganization;
  let foreign: TestOrganization;
  let owner: TestPerson;
  const open: LiveStream[] = [];

  beforeAll(async () => {
    [own, foreign] = await Promise.all([platform.organization(), platform.organization()]);
    owner = await platform.person(own.orgId, 'owner');
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  async function follow(person: TestPerson): Promise<LiveStream> {
    const stream = await LiveStream.open(person);
    open.push(stream);
    return stream;
  }

  describe('a change', () => {
    it('reaches a colleague after a request was handed in, and after it was approved', async () => {
      const pharmacist = await platform.person(own.orgId, 'pharmacist');
      const stream = await follow(pharmacist);
      expect(stream.response.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
      });
      expect(stream.text).toMatch(/^retry: 2000\n: open\n\n/);
      const id = await own.submit(orderRequest());
      await stream.untilChanged('order_request', id);
      const approval = await owner.org('POST', `/order-requests/${id}/approve`, {});
      const { order_id: orderId } = json<{ order_id: string }>(approval);
      await stream.untilChanged('order', orderId);
    });

    it('is not told to another organization', async () => {
      const stranger = await follow(await platform.person(foreign.orgId, 'owner'));
      const stream = await follow(owner);
      const id = await own.submit(orderRequest());
      await stream.untilChanged('order_request', id);
      // The stranger's own change comes after it on the same way.
      const theirs = await foreign.submit(orderRequest());
      await stranger.untilChanged('order_request', theirs);
      expect(stranger.text).not.toContain(id);
      expect(stream.text).not.toContain(theirs);
    });

    it('is one of at most 4 messages a second, and 150 changes are few messages', async () => {
      const stream = await follow(owner);
      const orders = await Promise.all(Array.from({ length: 150 }, () => own.createOrder()));
      const told = () => new Set(stream.of('change').flatMap(({ changes }) => changes.map(({ id }) => id)));
      const isAll = () => stream.of('change').some(({ all }) => all === true);
      await eventually('all orders', () => isAll() || orders.every(({ id }) => told().has(id)));
      const times = stream.events.filter(({ name }) => name === 'change').map(({ atMs }) => atMs);
      const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
      // The first message may be late by a pause.
      expect((times.length - 1) * 250).toBeLessThanOrEqual(spanMs + 250);
    });
  });

  describe('the stream ends within 2 s, and reports it', () => {
    const untilEnded = async (stream: LiveStream): Promise<void> => {
      await stream.untilOver();
      expect(stream.of('session')).toEqual([{ reason: 'ended' }]);
    };

    it('when the person signs out', async () => {
      const person = await platform.person(own.orgId, 'clerk');
      const stream = await follow(person);
      expect((await person.call('DELETE', '/api/session')).status).toBe(204);
      await untilEnded(stream);
    });

    it('when the session is revoked in another browser, and no other stream does', async () => {
      const person = await platform.person(own.orgId, 'pharmacist');
      const [stream, other] = [await follow(person), await follow(owner)];
      const { data } = json<{ data: { id: string }[] }>(await person.call('GET', '/api/sessions'));
      const [first] = data;
      await person.signIn();
      expect((await person.call('DELETE', `/api/sessions/${first?.id}`)).status).toBe(204);
      await untilEnded(stream);
      expect(other.isOver).toBe(false);
    });

    it.each([
      ['is switched off', { is_active: false }],
      // A role change ends the sessions of the person: the next one begins with the new role.
      ['gets another role', { role: 'pharmacist' }],
    ])('when the person %s', async (_what, change) => {
      const person = await platform.person(own.orgId, 'clerk');
      const stream = await follow(person);
      expect((await owner.org('PUT', `/staff/${person.id}`, change)).status).toBe(200);
      await untilEnded(stream);
    });
  });

  describe('who has a request open', () => {
    const has =
      (person: TestPerson, requestId: string) =>
      ({ people }: { people: LivePerson[] }) =>
        people.some((one) => one.staff_id === person.id && one.request_id === requestId);

    it('is shown to colleagues who may read it, until it is closed, and not to the person', async () => {
      const anna = await platform.person(own.orgId, 'pharmacist');
      const id = await own.submit(orderRequest());
      const [mine, colleague] = [await follow(anna), await follow(owner)];
      const clerk = await follow(await platform.person(own.orgId, 'clerk'));
      expect((await anna.call('PUT', '/api/presence', { request_id: id })).status).toBe(204);
      const { people } = await colleague.next('presence', has(anna, id));
      expect(people).toEqual([
        expect.objectContaining({
          staff_id: anna.id,
          name: expect.stringMatching(/^Anna /) as string,
          request_id: id,
        }),
      ]);
      const later = await follow(owner);
      await later.next('presence', has(anna, id));
      expect((await anna.call('PUT', '/api/presence', { request_id: null })).status).toBe(204);
      await eventually('nobody', () => colleague.of('presence').at(-1)?.people.length === 0);
      expect(mine.of('presence').flatMap((event) => event.people)).toEqual([]);
      expect(clerk.of('presence')).toEqual([]);
    });

    it('goes when the session ends', async () => {
      const anna = await platform.person(own.orgId, 'pharmacist');
      const id = await own.submit(orderRequest());
      const colleague = await follow(owner);
      await follow(anna);
      await anna.call('PUT', '/api/presence', { request_id: id });
      await colleague.next('presence', has(anna, id));
      await anna.call('DELETE', '/api/session');
      await eventually(
        'nobody',
        () =>
          !colleague
            .of('presence')
            .at(-1)
            ?.people.some((one) => one.staff_id === anna.id),
        3_000,
      );
    });

    it('must be the id of a request, and is not for a clerk', async () => {
      for (const body of [{}, { request_id: 7 }, { request_id: 'none' }, { request_id: null, more: 1 }, 'x'])
        expect(codeOf(await owner.call('PUT', '/api/presence', body))).toMatch(/^4(?:00|15) /);
      const clerk = await platform.person(own.orgId, 'clerk');
      const answer = await clerk.call('PUT', '/api/presence', { request_id: null });
      expect(codeOf(answer)).toBe('403 insufficient_scope');
    });
  });

  describe('the stream is refused', () => {
    it('to a session that has four', async () => {
      const person = await platform.person(own.orgId, 'clerk');
      for (let count = 0; count < 4; count++) await follow(person);
      const headers = { ...person.pageHeaders, cookie: person.cookie };
      expect(codeOf(await refusedStream(person, headers))).toBe('503 service_unavailable');
      open.pop()?.close();
      await eventually('space for another', () => follow(person));
    });

    it('without a session, with a token of the API, and to other pages', async () => {
      const { pageHeaders, cookie } = owner;
      const site = (value: string) => ({ ...pageHeaders, cookie, 'sec-fetch-site': value });
      const refusals: [Record<string, string>, string][] = [
        [pageHeaders, '401 unauthorized'],
        [{ ...pageHeaders, authorization: `Bearer ${own.token}` }, '401 unauthorized'],
        [site('cross-site'), '403 forbidden'],
        [site('none'), '403 forbidden'],
        [{ cookie }, '403 forbidden'],
      ];
      for (const [headers, code] of refusals)
        expect([headers, codeOf(await refusedStream(owner, headers))]).toEqual([headers, code]);
    });

    it('to a page that shows another person than the one who is signed in', async () => {
      const other = await platform.person(own.orgId, 'clerk');
      const asked = (id: string) => owner.call('HEAD', `/api/live?staff=${id}`);
      expect([(await asked(other.id)).status, (await asked(owner.id)).status]).toEqual([401, 200]);
    });

    it('to HEAD, which gets the head alone', async () => {
      const answer = await owner.call('HEAD', '/api/live');
      expect([answer.status, answer.headers['content-type'], answer.body.length]).toEqual([
        200,
        'text/event-stream',
        0,
      ]);
    });
  });
});

/** Streams of a second gateway with a small limit: refusals, events from the first gateway, its end; idle sessions. */
describe('a second gateway', () => {
  let own: TestOrganization;
  let gateway: GatewayProcess;
  const open: LiveStream[] = [];

  beforeAll(async () => {
    own = await platform.organization();
    gateway = await startGateway({ LIVE_STREAMS: '4' });
  });
  afterAll(async () => {
    for (const stream of open) stream.close();
    await gateway.stop();
  });

  async function follow(person: TestPerson, baseUrl = gateway.url): Promise<LiveStream> {
    const stream = await LiveStream.open(person, baseUrl);
    open.push(stream);
    return stream;
  }

  it('an organization has a quarter of the streams; a gateway reports events of the others, and ends streams first', async () => {
    const [anna, owner] = [
      await platform.person(own.orgId, 'pharmacist'),
      await platform.person(own.orgId, 'owner'),
    ];
    const stream = await follow(owner);
    const headers = { ...anna.pageHeaders, cookie: anna.cookie };
    const refused = await http(`${gateway.url}/console/api/live`, { headers });
    expect(codeOf(refused)).toBe('503 service_unavailable');
    const other = await platform.organization();
    await follow(await platform.person(other.orgId, 'owner'));

    const id = await own.submit(orderRequest());
    await stream.untilChanged('order_request', id);
    await anna.call('PUT', '/api/presence', { request_id: id });
    await stream.next('presence', ({ people }) => people.some((one) => one.staff_id === anna.id));

    const stopping = gateway.stop();
    await stream.untilOver();
    const [, pauseMs] = /\nretry: (\d+)\n\n$/.exec(stream.text) ?? [];
    expect(Number(pauseMs)).toBeGreaterThanOrEqual(500);
    expect(Number(pauseMs)).toBeLessThanOrEqual(3_000);
    expect(stream.of('session')).toEqual([]);
    await stopping;
  }, 60_000);

  it('a page that nobody touches keeps no session alive, nor does its stream', async () => {
    const [idle, active] = [
      await platform.person(own.orgId, 'clerk'),
      await platform.person(own.orgId, 'clerk'),
    ];
    const lastUse = async (person: TestPerson): Promise<string> => {
      const headers = { ...person.pageHeaders, 'x-offizin-idle': '60' };
      const answer = await person.call('GET', '/api/sessions', undefined, headers);
      return json<{ data: { last_used_at: string }[] }>(answer).data[0]?.last_used_at ?? '';
    };
    const [idleSince, activeSince] = [await lastUse(idle), await lastUse(active)];
    await follow(idle, idle.baseUrl);
    await active.call('GET', '/api/session', undefined, { ...active.pageHeaders, 'x-offizin-idle': '59' });
    await eventually('a use of the touched page', async () => (await lastUse(active)) > activeSince);
    expect(await lastUse(idle)).toBe(idleSince);
  });
});

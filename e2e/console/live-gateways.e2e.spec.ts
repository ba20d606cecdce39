import { codeOf } from '@offizin/testkit/error-code';
import { eventually } from '@offizin/testkit/eventually';
import { type GatewayProcess, startGateway } from '@offizin/testkit/gateway-process';
import { http, json } from '@offizin/testkit/http';
import { LiveStream } from '@offizin/testkit/live-stream';
import { orderRequest } from '@offizin/testkit/order-request';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { TestPlatform } from '@offizin/testkit/platform';

/** Streams of a second gateway with few of them: its limits, what it hears of the first, its end; and idle sessions. */
let platform: TestPlatform;
let own: TestOrganization;
let gateway: GatewayProcess;
const open: LiveStream[] = [];

beforeAll(async () => {
  platform = await TestPlatform.connect();
  own = await platform.organization();
  gateway = await startGateway({ LIVE_STREAMS: '4' });
});
afterAll(async () => {
  for (const stream of open) stream.close();
  await gateway.stop();
  await platform.close();
});

async function follow(person: TestPerson, baseUrl = gateway.url): Promise<LiveStream> {
  const stream = await LiveStream.open(person, baseUrl);
  open.push(stream);
  return stream;
}

it('an organization has a quarter of the streams; a gateway tells what others hear, and ends streams first', async () => {
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

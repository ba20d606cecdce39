import type { AuditLogResponse } from '@offizin/contracts/reports/audit';
import type { Operation } from '@offizin/contracts/calls/operation';
import { operations } from '@offizin/contracts/operations';
import { isScope } from '@offizin/contracts/people/scopes';
import {
  attached,
  type AuditCase,
  type AuditCases,
  auditedChanges,
  auditedReads,
  type AuditWorld,
  made,
  stocked,
  submitted,
  webhook,
} from '@offizin/testkit/audit-cases';
import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/**
 * Whatever a key auditedChanges, and each read of a prescription, is one entry of the audit log, whichever service did it.
 * The tests walk the list of operations: a new one fails here until the table below says what it leaves.
 */
type Entry = AuditLogResponse['data'][number];

let platform: TestPlatform;
let receiver: WebhookReceiver;
let own: TestOrganization;
let world: AuditWorld;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  receiver = await WebhookReceiver.start();
  own = await platform.organization();
  world = { platform, own, receiver };
});
afterAll(async () => {
  await receiver.close();
  await platform.close();
});

const calledByKeys = operations.filter(({ access }) => isScope(access) || access === 'connector');
const changing = calledByKeys.filter(({ method }) => method !== 'GET');

async function allEntries(): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor = '';
  do {
    const reply = json<AuditLogResponse>(await own.api('GET', `/audit-log?limit=200${cursor}`));
    entries.push(...reply.data);
    cursor = reply.pagination.next_cursor === null ? '' : `&cursor=${reply.pagination.next_cursor}`;
  } while (cursor !== '');
  return entries;
}

async function entriesOf(requestId: string): Promise<Entry[]> {
  return (await allEntries()).filter(({ request_id }) => request_id === requestId);
}

/** When it resolves, all that the services had recorded before is in the log: each relay keeps to its order. */
async function everythingEntered(): Promise<void> {
  const [p1_id, id] = [await stocked(world), await webhook(world)];
  for (let round = 0; round < 2; round++) {
    const headers = { 'x-request-id': `barrier-${uniqueTag()}` };
    await own.api('POST', '/inventory/adjust', { p1_id, delta: 1, reason: 'received' }, headers);
    await own.api('POST', `/webhooks/${id}/test`, {}, headers);
    await eventually('both', async () => (await entriesOf(headers['x-request-id'])).length === 2);
  }
  await own.api('DELETE', `/webhooks/${id}`);
}

async function expectOneEntry(op: Operation, story: AuditCase): Promise<void> {
  const headers = { 'x-request-id': `audit-${uniqueTag()}` };
  const { action, object, answer } = await story(world, headers);
  expect(op.statuses).toContain(answer.status);
  const actor = op.access === 'connector' ? `integration:${own.integrationKey.id}` : `key:${own.apiKey.id}`;
  const found = await eventually('the entry', async () => {
    const entries = await entriesOf(headers['x-request-id']);
    return entries.length > 0 && entries;
  });
  expect(found).toEqual([
    {
      actor,
      action,
      object: object instanceof RegExp ? expect.stringMatching(object) : object,
      request_id: headers['x-request-id'],
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      position: expect.any(Number) as number,
    },
  ]);
  requestsWithOneEntry.push(headers['x-request-id']);
}
const requestsWithOneEntry: string[] = [];

function storyOf(stories: AuditCases, op: Operation): AuditCase {
  const story = stories[op.name];
  if (!story) throw new Error(`${op.name}: say in this table what it leaves in the audit log`);
  return story;
}

const named = (ops: readonly Operation[]): [string, Operation][] => ops.map((op) => [op.name, op]);

describe('one entry is left by', () => {
  it.each(named(changing))('%s', (_, op) => expectOneEntry(op, storyOf(auditedChanges, op)), 40_000);
  it.each(named(calledByKeys.filter(({ name }) => name in auditedReads)))('%s', (_, op) =>
    expectOneEntry(op, storyOf(auditedReads, op)),
  );

  it('each of them still, when all has arrived', async () => {
    await everythingEntered();
    const counts = new Map<string, number>();
    const entries = await allEntries();
    for (const { request_id } of entries) counts.set(request_id, (counts.get(request_id) ?? 0) + 1);
    expect(requestsWithOneEntry).toHaveLength(changing.length + Object.keys(auditedReads).length);
    expect(requestsWithOneEntry.filter((id) => counts.get(id) !== 1)).toEqual([]);
    // Ids only: no personal data and no secrets.
    expect(JSON.stringify(entries)).not.toMatch(/@|example\.org|Erika|Mustermann|ofz_|whsec_|http/);
  }, 30_000);
});

it('the tables name operations that are there, and whatever shows a prescription is among them', () => {
  const names = new Set(operations.map(({ name }) => name));
  expect(
    [...Object.keys(auditedChanges), ...Object.keys(auditedReads)].filter((name) => !names.has(name)),
  ).toEqual([]);
  const shows = calledByKeys.filter(
    ({ method, access, reply }) =>
      method === 'GET' && (access === 'prescriptions.read' || reply === 'application/pdf'),
  );
  expect(shows.map(({ name }) => name).filter((name) => !(name in auditedReads))).toEqual([]);
});

describe('no entry is left by', () => {
  const headers = { 'x-request-id': `audit-refused-${uniqueTag()}` };

  /** A path of things that there are not. */
  const unknownPath = ({ path }: Operation): string =>
    path
      .replace('/api/v2/public/orgs/{orgId}', '')
      .replace('{p1Id}', 'nobody-has-this')
      .replace(/\{\w+\}/g, '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c11');

  async function expectRefused(statuses: number[], sending: Promise<HttpAnswer>): Promise<void> {
    expect(statuses).toContain((await sending).status);
  }

  it.each(named(changing.filter(({ access }) => access !== 'connector')))(
    '%s that is refused',
    async (_, op) => {
      await expectRefused(
        [400, 404, 422],
        own.api(op.method, unknownPath(op), { no_such_field: 1 }, headers),
      );
      if (/\{(?!orgId\})/.test(op.path) && !op.body) {
        await expectRefused([404], own.api(op.method, unknownPath(op), undefined, headers));
      }
    },
  );

  it('what the state of things refuses, nor a change that changes nothing', async () => {
    const { object: _object, ...about } = await attached(world);
    const rejected = await submitted(world);
    await own.api('POST', `/order-requests/${rejected}/reject`, { reason: 'other' });
    const off = await made(world, '/webhooks', { url: receiver.url, is_active: false });
    const { p1_id } = about;
    const since = new Date().toISOString();
    await expectRefused([409], own.api('POST', `/order-requests/${rejected}/approve`, {}, headers));
    const tooMany = { p1_id, delta: -9, reason: 'correction' };
    await expectRefused([409, 422], own.api('POST', '/inventory/adjust', tooMany, headers));
    await expectRefused([409], own.api('POST', `/webhooks/${off}/test`, {}, headers));
    await expectRefused([409], own.api('POST', `/webhooks/${off}/recover`, { since }, headers));
    await expectRefused([200], own.api('POST', '/shops/attach-product', about, headers));
    await expectRefused([200], own.api('POST', '/products/add-to-inventory', { p1_id }, headers));
    await expectRefused([200], own.api('PUT', `/products/${p1_id}`, {}, headers));
    await expectRefused(
      [200],
      own.api('POST', '/shops/product-overrides', { ...about, overrides: {} }, headers),
    );
  });

  it('a POST that is repeated under its Idempotency-Key', async () => {
    const id = `audit-${uniqueTag()}`;
    const once = { 'idempotency-key': uniqueTag(), 'x-request-id': id };
    const body = { p1_id: await stocked(world), delta: 1, reason: 'received' };
    for (let n = 0; n < 3; n++)
      expect((await own.api('POST', '/inventory/adjust', body, once)).status).toBe(200);
    await everythingEntered();
    expect(await entriesOf(id)).toHaveLength(1);
  }, 30_000);

  it('any of the refused calls above', async () => {
    await everythingEntered();
    expect(await entriesOf(headers['x-request-id'])).toEqual([]);
  }, 30_000);
});

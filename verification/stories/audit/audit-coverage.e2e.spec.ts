import type { AuditLogResponse } from '@offizin/contracts/reports/audit';
import type { Operation } from '@offizin/contracts/calls/operation';
import { operations } from '@offizin/contracts/operations';
import { isScope } from '@offizin/contracts/people/scopes';
import { auditedCall, auditedChanges, auditedReads, everythingEntered } from '@offizin/testkit/audit-cases';
import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { named } from '@offizin/testkit/operation-call';
import type { Ids } from '@offizin/testkit/organization-things';
import type { TestOrganization } from '@offizin/testkit/organization';
import {
  attachedProduct,
  newRequest,
  newWebhook,
  type OwnThings,
  thingsOf,
} from '@offizin/testkit/organization-things';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/**
 * Whatever a key changes, and each read of a prescription, is one entry of the audit log, whichever service did it.
 * The tests walk the list of operations: a new one fails here until verification/kit/audit-cases.ts says what it leaves.
 */
type Entry = AuditLogResponse['data'][number];

const platform = usePlatform();
let receiver: WebhookReceiver;
let own: TestOrganization;
let made: OwnThings;
let ids: Ids;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  own = await platform.organization();
  made = { platform, organization: own, receiverUrl: receiver.url };
  ids = await thingsOf(made);
}, 30_000);
afterAll(async () => {
  await receiver.close();
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

const enteredOf = async (requestId: string): Promise<number> => (await entriesOf(requestId)).length;

async function expectOneEntry(op: Operation): Promise<void> {
  const call = await auditedCall(op, made, ids);
  const headers = { 'x-request-id': `audit-${uniqueTag()}` };
  const answer = await call.send(headers);
  expect(op.statuses).toContain(answer.status);
  const { action, object } = call.entryOf(answer);
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

describe('one entry is left by', () => {
  const audited = [...changing, ...calledByKeys.filter(({ name }) => name in auditedReads)];
  it.each(named(audited))('%s', (_, op) => expectOneEntry(op), 40_000);

  it('each of them still, when all has arrived', async () => {
    await everythingEntered(made, ids, enteredOf);
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
    const { p1Id: p1_id = '' } = await attachedProduct(made);
    const about = { shop_id: own.shops[0].shopId, p1_id };
    const { requestId: rejected = '' } = await newRequest(made);
    await own.api('POST', `/order-requests/${rejected}/reject`, { reason: 'other' });
    const { webhookId: off = '' } = await newWebhook(made);
    await own.api('PUT', `/webhooks/${off}`, { is_active: false });
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
    const body = { p1_id: ids['p1Id'], delta: 1, reason: 'received' };
    for (let n = 0; n < 3; n++)
      expect((await own.api('POST', '/inventory/adjust', body, once)).status).toBe(200);
    await everythingEntered(made, ids, enteredOf);
    expect(await entriesOf(id)).toHaveLength(1);
  }, 30_000);

  it('any of the refused calls above', async () => {
    await everythingEntered(made, ids, enteredOf);
    expect(await entriesOf(headers['x-request-id'])).toEqual([]);
  }, 30_000);
});

import { randomBytes } from 'node:crypto';
import { EventIntake } from '@offizin/events/event-intake';
import { messageOf, readMessage } from '@offizin/events/event-message';
import { listAuditLog } from '@offizin/contracts/reports/audit';
import { unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { buildAuditRecord } from '@offizin/events/audit-outbox';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { timedEvent } from '@offizin/events/outbox';
import { isRefusedData } from '@offizin/pg/database-failures';
import { setMessagesAside } from '@offizin/events/set-aside';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderCoreSchema } from '../db/schema';
import { specKeys } from '../spec/request-handlers';
import { OrderCoreFixture } from '../spec/spec-fixture';
import { AuditRecords } from './audit-records';
import { AuditVerifier } from './audit-verifier';
import { AuditHandlers } from './audit.handlers';

/** Records of catalog and webhook-worker arrive over the broker: late, twice, in a batch, or invalid. */
const unknownRecords = unknownEvents('order-core');
const setAside = statement<{ event_id: string; reason: string; content: Buffer }, []>(
  'spec_set_aside',
  'SELECT event_id, reason, content FROM core.set_aside ORDER BY id',
);
let test: TestDatabase;
let core: OrderCoreFixture;
let records: AuditRecords;

beforeEach(async () => {
  test = await testDatabase(orderCoreSchema);
  const dataKeys = specKeys(test.database, randomBytes(32));
  records = new AuditRecords(test.database);
  const audit = new AuditHandlers(test.database, new AuditVerifier(test.database, dataKeys));
  core = await OrderCoreFixture.make(test.database, handlersIn(audit));
});
afterEach(() => test.close());

function record(action: string, at = new Date('2026-01-31T12:00:00.123Z')): OutboxEvent {
  return timedEvent(buildAuditRecord(core.key(), { orgId: core.orgId, action, object: 'product:P1' }), at);
}

/** Passes a message to the intake as the consumer does. */
async function takeMessage(...events: OutboxEvent[]): Promise<void> {
  const intake = new EventIntake({
    handle: records.take,
    isRefusedData,
    setAside: (letters) => setMessagesAside(test.database, 'core', letters),
  });
  const data = Buffer.from(messageOf(events));
  await intake.take(readMessage({ subject: 'audit.catalog', data }), () => undefined);
}

async function entries() {
  return (await core.call(listAuditLog, { query: 'limit=200' })).body.data;
}

it('enters actor, action, time and request', async () => {
  await records.take([record('product.update')]);
  expect(await entries()).toEqual([
    {
      position: expect.any(Number),
      at: '2026-01-31T12:00:00.123Z',
      actor: `key:${core.keyId}`,
      action: 'product.update',
      object: 'product:P1',
      request_id: 'spec',
    },
  ]);
});

it('enters each record once, in the given order, despite repeats in any batch', async () => {
  const [first, second, third] = [record('a'), record('b'), record('c')];
  await records.take([first]);
  await records.take([first, second, first]);
  await Promise.all([records.take([second, third]), records.take([third, first])]);
  expect((await entries()).map(({ action }) => action).reverse()).toEqual(['a', 'b', 'c']);
});

it('reports the records that it does not have', async () => {
  const [known, lost] = [record('known'), record('lost')];
  await records.take([known]);
  const { body } = await core.call(unknownRecords, { body: { ids: [known.id, lost.id] } });
  expect(body.ids).toEqual([lost.id]);
  expect((await core.call(unknownRecords, { body: { ids: ['no-id'] } })).status).toBe(400);
});

it.each<[string, (sound: OutboxEvent) => Partial<OutboxEvent>]>([
  ['is not JSON', () => ({ body: 'nothing' })],
  ['is empty', () => ({ body: '{}' })],
  ['has a different id than its envelope', () => ({ id: newId() })],
  ['has an invalid organization id', ({ body }) => ({ body: body.replace(core.orgId, 'nobody') })],
  ['contains a NUL character', ({ body }) => ({ body: body.replace('product:P1', 'product:\\u0000') })],
  ['has an invalid time', ({ body }) => ({ body: body.replace('2026-01-31T', '2026-02-31T') })],
])('sets aside a record that %s, reports it as unknown, and enters the others', async (_what, spoil) => {
  const sound = record('spoilt');
  const spoilt = { ...sound, ...spoil(sound) };
  await takeMessage(record('before'), spoilt, record('after'));
  expect((await entries()).map(({ action }) => action)).toEqual(['after', 'before']);
  const { body } = await core.call(unknownRecords, { body: { ids: [spoilt.id] } });
  expect(body.ids).toEqual([spoilt.id]);
  // Complete, and once, although the outbox repeats it.
  await takeMessage(spoilt);
  const kept = await test.database.rows(setAside);
  const content = Buffer.from(messageOf([spoilt]));
  expect(kept).toEqual([{ event_id: spoilt.id, reason: expect.stringMatching(/./), content }]);
});

it('enters a record that becomes readable and deletes its set-aside copy', async () => {
  const sound = record('mended');
  await takeMessage({ ...sound, body: '{}' });
  await takeMessage(sound);
  expect((await entries()).map(({ action }) => action)).toEqual(['mended']);
  expect(await test.database.rows(setAside)).toEqual([]);
});

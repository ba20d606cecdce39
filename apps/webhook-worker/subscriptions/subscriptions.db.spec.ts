import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import type { Caller } from '@offizin/contracts/calls/caller';
import * as webhooks from '@offizin/contracts/webhooks/webhooks';
import { WorkerFixture, workerSpec } from '../spec/spec-fixture';

let worker: WorkerFixture;
const test = workerSpec((stage) => ({ worker } = stage));

const URL = 'https://receiver.example/hook';

describe('a subscription', () => {
  it('shows its secret when it is made, and never again', async () => {
    const { secret, ...made } = await worker.subscribe(URL, { description: 'ERP', rate_per_second: 5 });
    expect(secret).toMatch(/^whsec_/);
    expect(made).toMatchObject({ url: URL, event_types: null, is_active: true, rate_per_second: 5 });
    const params = { webhookId: made.id };
    expect((await worker.call(webhooks.getWebhook, { params })).body).toEqual(made);
    expect((await worker.call(webhooks.listWebhooks)).body.data).toEqual([made]);
    const [stored] = await worker.sql<{ row: string }>(
      'SELECT s::text AS row FROM webhooks.subscriptions s WHERE id = $1',
      made.id,
    );
    expect(stored?.row).not.toContain(secret);
    expect(stored?.row).not.toContain(Buffer.from(secret).toString('hex'));
  });

  it('keeps fields missing from an update, and clears null fields', async () => {
    const { id } = await worker.subscribe(URL, { description: 'ERP', event_types: ['order_created'] });
    const update = async (body: object) =>
      (await worker.call(webhooks.updateWebhook, { params: { webhookId: id }, body })).body;
    expect(await update({ description: 'New' })).toMatchObject({
      url: URL,
      description: 'New',
      event_types: ['order_created'],
    });
    expect(await update({ event_types: null, description: null, rate_per_second: 7 })).toMatchObject({
      event_types: null,
      description: null,
      rate_per_second: 7,
      is_active: true,
    });
  });

  it('is not changed by what it states already', async () => {
    const { secret, ...made } = await worker.subscribe(URL, {
      description: 'ERP',
      event_types: ['order_created'],
    });
    const { url, event_types, description, is_active, rate_per_second } = made;
    const body = { url, event_types, description, is_active, rate_per_second };
    const answer = await worker.call(webhooks.updateWebhook, { params: { webhookId: made.id }, body });
    expect(answer).toMatchObject({ status: 200, body: made });
  });

  it('asks a person who moves it to another URL for a late confirmation, and for nothing else', async () => {
    const { id } = await worker.subscribe(URL);
    const person: Caller = {
      kind: 'staff',
      orgId: worker.orgId,
      shopId: null,
      actorId: 'spec',
      requestId: 'spec',
      scopes: ALL_SCOPES,
    };
    const update = async (body: object, confirmedAtMs?: number) => {
      const confirmed =
        confirmedAtMs === undefined ? {} : { confirmedUntil: new Date(confirmedAtMs).toISOString() };
      const caller = { ...person, ...confirmed };
      return (await worker.call(webhooks.updateWebhook, { params: { webhookId: id }, body, caller })).status;
    };
    const other = { url: `${URL}/other` };
    expect(await update(other)).toBe(403);
    expect(await update(other, Date.now() - 1)).toBe(403);
    expect(await update({ url: URL, description: 'ERP', is_active: false })).toBe(200);
    expect(await update(other, Date.now() + 60_000)).toBe(200);
  });

  it('takes http and loopback only where the configuration allows them', async () => {
    const strict = new WorkerFixture(test.database, {});
    for (const url of ['http://receiver.example/', 'https://127.0.0.1/']) {
      expect((await strict.call(webhooks.createWebhook, { body: { url } })).status).toBe(400);
      expect((await worker.call(webhooks.createWebhook, { body: { url } })).status).toBe(201);
    }
  });

  it('is limited to twenty per organization, also under concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => worker.call(webhooks.createWebhook, { body: { url: URL } })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    const [first] = (await worker.call(webhooks.listWebhooks)).body.data;
    await worker.call(webhooks.deleteWebhook, { params: { webhookId: first?.id ?? '' } });
    expect((await worker.call(webhooks.createWebhook, { body: { url: URL } })).status).toBe(201);
  });

  it('is unknown once deleted, and its pending deliveries are cancelled', async () => {
    const { id } = await worker.subscribe(URL);
    await worker.inbox.handle(worker.eventsOfOneObject(3));
    const params = { webhookId: id };
    expect((await worker.call(webhooks.deleteWebhook, { params })).status).toBe(204);
    expect((await worker.deliveries()).map(({ status }) => status)).toEqual(Array(3).fill('cancelled'));
    expect((await worker.call(webhooks.getWebhook, { params })).status).toBe(404);
    expect((await worker.call(webhooks.deleteWebhook, { params })).status).toBe(404);
  });

  it('gets nothing while it is switched off', async () => {
    const { id } = await worker.subscribe(URL);
    await worker.inbox.handle([worker.event()]);
    const params = { webhookId: id };
    await worker.call(webhooks.updateWebhook, { params, body: { is_active: false } });
    await worker.inbox.handle([worker.event()]);
    expect((await worker.deliveries()).map(({ status }) => status)).toEqual(['cancelled']);
    expect((await worker.call(webhooks.testWebhook, { params })).status).toBe(409);
  });

  it('numbers the events about itself without gaps, also under concurrent calls', async () => {
    const { id } = await worker.subscribe(URL);
    const tests = await Promise.all(
      Array.from({ length: 10 }, () => worker.call(webhooks.testWebhook, { params: { webhookId: id } })),
    );
    expect(tests.map(({ body }) => body.sequence).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 1),
    );
    const events = await worker.sql(
      `SELECT FROM webhooks.outbox WHERE aggregate_id = $1 AND event_type = 'webhook_test'`,
      id,
    );
    expect(events).toHaveLength(10);
  });
});

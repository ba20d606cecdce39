import { messageOf } from '@offizin/events/event-message';
import { unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { readEventFeed } from '@offizin/contracts/webhooks/event-feed';
import { Database, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { testDatabase } from '@offizin/testkit/database';
import { webhookWorkerSchema } from '../db/schema';
import { WorkerFixture, workerSpec } from '../spec/spec-fixture';
import { receiveEvents } from './inbox.store';

let worker: WorkerFixture;
const test = workerSpec((stage) => ({ worker } = stage));

const URL = 'https://receiver.example/hook';

describe('the inbox', () => {
  it('makes one delivery per active subscription that wants the kind of event', async () => {
    const all = await worker.subscribe(URL);
    const wanting = await worker.subscribe(URL, { event_types: ['order_updated', 'order_created'] });
    await worker.subscribe(URL, { event_types: ['inventory_low'] });
    await worker.subscribe(URL, { is_active: false });
    const event = worker.event();
    await worker.inbox.handle([event]);
    const made = await worker.sql<{ subscription_id: string }>(
      'SELECT subscription_id FROM webhooks.deliveries WHERE event_id = $1 ORDER BY subscription_id',
      event.id,
    );
    expect(made.map((row) => row.subscription_id)).toEqual([all.id, wanting.id].sort());
  });

  it('ignores a repeated event, also within one batch and concurrently', async () => {
    await worker.subscribe(URL);
    const events = worker.eventsOfOneObject(3);
    await Promise.all([worker.inbox.handle([...events, ...events]), worker.inbox.handle(events)]);
    await worker.inbox.handle(events);
    expect(await worker.deliveries()).toHaveLength(3);
  });

  it('stores each body as it came, byte for byte', async () => {
    const titles = ['"quoted", {braced}', 'a\\b\nc\td', 'NULL', '', 'Grüße 😀 \u2028', "it's $1 E'\\n'"];
    const events = titles.map((title) => {
      const event = worker.event();
      return { ...event, body: JSON.stringify({ title, created_at: '2026-01-01T00:00:00Z' }) };
    });
    await worker.inbox.handle(events);
    for (const { id, body } of events)
      expect(await worker.sql('SELECT body FROM webhooks.events WHERE id = $1', id)).toEqual([{ body }]);
  });

  it('makes no delivery for a subscription created later', async () => {
    const event = worker.event();
    await worker.inbox.handle([event]);
    await worker.subscribe(URL);
    await worker.inbox.handle([event]);
    expect(await worker.deliveries()).toEqual([]);
  });

  it('delivers a test event to its subscription, whatever kinds that one has', async () => {
    await worker.subscribe(URL);
    const tested = await worker.subscribe(URL, { event_types: ['order_created'] });
    await worker.inbox.handle([worker.event(tested.id, 1, 'webhook_test')]);
    const made = await worker.sql<{ subscription_id: string }>(
      'SELECT subscription_id FROM webhooks.deliveries WHERE org_id = $1',
      worker.orgId,
    );
    expect(made).toEqual([{ subscription_id: tested.id }]);
  });

  it('delivers an event to no other organization', async () => {
    const other = new WorkerFixture(test.database);
    await other.subscribe(URL);
    await worker.inbox.handle([worker.event()]);
    expect(await other.deliveries()).toEqual([]);
  });

  it.each<[string, Partial<Record<keyof OutboxEvent, unknown>>]>([
    ['a body that is not JSON', { body: '{' }],
    ['a body that is null', { body: 'null' }],
    ['a body without a time', { body: '{}' }],
    ['a time that the database does not know', { body: '{"created_at":"+275760-09-12T00:00:00Z"}' }],
    ['an organization that is not a UUID', { orgId: 'acme' }],
    ['a sequence that is too large', { sequence: 2 ** 40 }],
    ['a NUL in the aggregate', { aggregateId: 'a\0b' }],
  ])('sets aside an event with %s, and takes the others of its batch', async (_, broken) => {
    await worker.subscribe(URL);
    const poisoned = { ...worker.event(), ...broken } as OutboxEvent;
    await worker.takeMessage(messageOf([worker.event(), poisoned, worker.event()]));
    expect(await worker.deliveries()).toHaveLength(2);
    const [stored] = await worker.sql<{ content: Buffer }>(
      'SELECT content FROM webhooks.set_aside WHERE event_id = $1',
      poisoned.id,
    );
    expect(stored?.content.toString()).toBe(messageOf([poisoned]));
  });
});

it("reads only the organization's subscriptions, however many the installation has", async () => {
  const { url, database, close } = await testDatabase(webhookWorkerSchema);
  const queue = await Database.connect({
    ...webhookWorkerSchema,
    databaseUrl: url,
    poolSize: 1,
    applicationName: 'spec',
  });
  const one = new WorkerFixture(database);
  await one.subscribe(URL);
  await one.sql(
    `INSERT INTO webhooks.subscriptions (id, org_id, url, secret)
     SELECT gen_random_uuid(), gen_random_uuid(), $1, '' FROM generate_series(1, 500)`,
    URL,
  );
  const readSoFar = statement<{ rows: number }, []>(
    'spec_subscriptions_read',
    `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables
     WHERE schemaname = 'webhooks' AND relname = 'subscriptions'`,
  );
  const read = await queue.transaction(async (tx) => {
    await receiveEvents(
      tx,
      one
        .eventsOfOneObject(10)
        .map((event) => ({ event, createdAt: new Date().toISOString(), callback: null })),
    );
    return (await tx.rows(readSoFar))[0]?.rows;
  });
  expect(read).toBe(10);
  expect(await one.deliveries()).toHaveLength(10);
  await queue.close();
  await close();
});

describe('a message that is not an event', () => {
  it.each<[string, Buffer]>([
    ['a NUL', Buffer.from('\0')],
    ['bytes that are not text', Buffer.from([0x00, 0xff, 0x7b])],
    ['a megabyte', Buffer.alloc(1_000_000, 'x')],
  ])('is kept with its bytes, once, however often it comes: %s', async (_what, bytes) => {
    const subject = `events.plain.${newId()}`;
    await worker.takeMessage(bytes, subject);
    await worker.takeMessage(bytes, subject);
    const stored = await worker.sql<{ content: Buffer }>(
      'SELECT content FROM webhooks.set_aside WHERE subject = $1',
      subject,
    );
    // Not by toEqual, which is slow for a megabyte.
    expect(stored.map(({ content }) => content.equals(bytes))).toEqual([true]);
  });
});

describe('events.unknown', () => {
  const unknown = unknownEvents('webhook-worker');

  it('names the events that never arrived, and not those that were set aside', async () => {
    const [known, aside] = [worker.event(), { ...worker.event(), body: '{' }];
    await worker.takeMessage(messageOf([known, aside]));
    const missing = newId();
    const { body } = await worker.call(unknown, { body: { ids: [known.id, missing, aside.id] } });
    expect(body).toEqual({ ids: [missing] });
  });

  it('refuses malformed event ids', async () => {
    expect((await worker.call(unknown, { body: { ids: ['x'] } })).status).toBe(400);
  });
});

describe('the feed', () => {
  async function read(query: string, orgId?: string) {
    return worker.call(readEventFeed, { query, orgId });
  }

  it('returns the bodies in order of arrival, page by page, from a given event on', async () => {
    const events = [...worker.eventsOfOneObject(4), worker.event(newId(), 1, 'inventory_low')];
    await worker.inbox.handle(events);
    const first = await read('limit=3');
    expect(first.body.data).toEqual(events.slice(0, 3).map(({ body }) => JSON.parse(body) as unknown));
    const cursor = first.body.pagination.next_cursor ?? '';
    const second = await read(`limit=3&after=${events[2]?.id}`);
    expect(second.body.data.map(({ id }) => id)).toEqual(events.slice(3).map(({ id }) => id));
    expect(second.body.pagination.next_cursor).toBeNull();
    for (const on of [`cursor=${cursor}`, `after=${cursor}`])
      expect((await read(`limit=3&${on}`)).body).toEqual(second.body);
    for (const other of [`event_type=inventory_low&cursor=${cursor}`, `cursor=${events[2]?.id}`])
      expect(await read(other)).toMatchObject({ status: 400, body: { details: [{ field: 'cursor' }] } });
    const twice = await read(`after=${events[2]?.id}&cursor=${cursor}`);
    expect(twice).toMatchObject({ status: 400, body: { details: [{ field: 'after' }] } });
    expect((await read('event_type=inventory_low')).body.data).toHaveLength(1);
  });

  it("refuses another organization's event as a cursor exactly like an unknown one", async () => {
    const event = worker.event();
    await worker.inbox.handle([event]);
    const foreign = await read(`after=${event.id}`, newId());
    expect(foreign.status).toBe(400);
    expect(foreign).toEqual(await read(`after=${newId()}`));
    expect(foreign).toEqual(await read('after=nonsense'));
    expect((await read('', newId())).body.data).toEqual([]);
  });

  it('ends a page early at the size limit of a message, and states that more follows', async () => {
    const large = { ...worker.event(), body: '' };
    const bodyOf = (id: string): string =>
      JSON.stringify({ id, created_at: new Date().toISOString(), description: 'x'.repeat(400_000) });
    const events = [newId(), newId(), newId()].map((id) => ({ ...large, id, body: bodyOf(id) }));
    await worker.inbox.handle(events);
    const { body } = await read('');
    expect(body.data).toHaveLength(2);
    const { body: rest } = await read(`cursor=${body.pagination.next_cursor}`);
    expect(rest.data.map(({ id }) => id)).toEqual([events[2]?.id]);
  });

  it('never shows an event before an earlier one while inboxes write concurrently', async () => {
    const others = Array.from({ length: 4 }, () => worker.inbox);
    const writing = Promise.all(
      others.map(async (inbox) => {
        for (let batch = 0; batch < 10; batch++) await inbox.handle(worker.eventsOfOneObject(5));
      }),
    );
    const seen: string[] = [];
    const readOn = async (): Promise<void> => {
      const after = seen.length > 0 ? `limit=200&after=${seen.at(-1)}` : 'limit=200';
      seen.push(...(await read(after)).body.data.map(({ id }) => id));
    };
    let done = false;
    void writing.then(() => (done = true));
    while (!done) await readOn();
    await readOn();
    expect(new Set(seen).size).toBe(200);
  });
});

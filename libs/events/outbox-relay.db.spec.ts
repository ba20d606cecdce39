import { Refused } from '@offizin/contracts/calls/errors';
import type { EventTopic, OutboxEvent } from '@offizin/contracts/webhooks/events';
import { eventually } from '@offizin/testkit/eventually';
import { nameOf, stageOutbox } from '@offizin/testkit/outbox-stage';
import { schemaDrift } from '@offizin/pg/migrate';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { appendAuditRecord } from './audit-outbox';
import { appendEvent, buildEvent, timedEvent } from './outbox';

const stage = stageOutbox();

it('creates the table that the entity describes', async () => {
  expect(await schemaDrift(stage.database.dataSource)).toEqual([]);
});

it('builds an event whose body contains its id, sequence and time', () => {
  const event = timedEvent(buildEvent(stage.newEvent('a', 7)), new Date(0));
  expect(JSON.parse(event.body)).toEqual({
    id: event.id,
    org_id: stage.orgId,
    event_type: 'order_updated',
    title: 't',
    description: 'd',
    metadata: { order_id: 'a', sequence: 7 },
    created_at: '1970-01-01T00:00:00.000Z',
  });
});

it('publishes committed events with the stored bytes as body, and no rolled back ones', async () => {
  const published: OutboxEvent[] = [];
  stage.startRelay(async (event) => void published.push(event));
  await stage.append(stage.newEvent('a', 1));
  const undone = stage.database.transaction(async (tx) => {
    await appendEvent(tx, 'core', stage.newEvent('undone', 1));
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  await stage.append(stage.newEvent('b', 1));
  await eventually('both', async () => (await stage.unpublished()) === 0 && published.length === 2);
  const rows = await stage.sql<{ id: string; body: string }>(
    'SELECT id, body FROM core.outbox ORDER BY position',
  );
  expect(published.map(({ id, body }) => ({ id, body }))).toEqual(rows);
});

it('publishes immediately when it is woken, long before its next poll', async () => {
  const published: string[] = [];
  const relay = stage.startRelay(async (event) => void published.push(nameOf(event)));
  await stage.append(stage.newEvent('warm', 1));
  await eventually('it works', async () => (await stage.unpublished()) === 0);
  const startedAt = performance.now();
  for (let sequence = 1; sequence <= 10; sequence++) {
    await stage.append(stage.newEvent('a', sequence));
    relay.wake();
    await eventually('the event', () => published.includes(`a/${sequence}`));
  }
  expect(performance.now() - startedAt).toBeLessThan(5_000 * SLOWNESS);
});

it('sends the events of one object in sequence and those of several in parallel', async () => {
  const underWay = new Map<string, number>();
  let most = 0;
  const order = new Map<string, number[]>();
  const objects = Array.from({ length: 20 }, (_, index) => `object-${index}`);
  for (let sequence = 1; sequence <= 40; sequence++) {
    await stage.append(...objects.map((object) => stage.newEvent(object, sequence)));
  }
  stage.startRelay(async ({ aggregateId, sequence }) => {
    underWay.set(aggregateId, (underWay.get(aggregateId) ?? 0) + 1);
    most = Math.max(most, [...underWay.values()].filter((count) => count > 0).length);
    expect(underWay.get(aggregateId)).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    order.set(aggregateId, [...(order.get(aggregateId) ?? []), sequence]);
    underWay.set(aggregateId, 0);
  });
  await eventually('all', async () => (await stage.unpublished()) === 0);
  const expected = Array.from({ length: 40 }, (_, index) => index + 1);
  for (const object of objects) expect(order.get(object)).toEqual(expected);
  expect(most).toBeGreaterThan(1);
});

it('sends an event only after the earlier ones of its object, and delays no other object', async () => {
  let away = true;
  const acknowledged: string[] = [];
  await stage.append(
    stage.newEvent('bad', 1),
    stage.newEvent('good', 1),
    stage.newEvent('bad', 2),
    stage.newEvent('good', 2),
  );
  stage.startRelay(async (event) => {
    if (event.aggregateId === 'bad' && event.sequence === 1 && away) throw new Error('not acknowledged');
    acknowledged.push(nameOf(event));
  });
  await eventually('the others', () => acknowledged.length === 2);
  expect(acknowledged).toEqual(['good/1', 'good/2']);
  await stage.append(stage.newEvent('good', 3));
  await eventually('a later one', () => acknowledged.includes('good/3'));
  await eventually('the others to be published', async () => (await stage.unpublished()) === 2);
  away = false;
  await eventually('all', async () => (await stage.unpublished()) === 0);
  expect(acknowledged.slice(-2)).toEqual(['bad/1', 'bad/2']);
});

it('continues when one stuck object has more events than a batch', async () => {
  await stage.append(
    ...Array.from({ length: 600 }, (_, index) => stage.newEvent('stuck', index + 1)),
    stage.newEvent('good', 1),
  );
  const acknowledged: string[] = [];
  stage.startRelay(async (event) => {
    if (event.aggregateId === 'stuck') throw new Error('too large for a message');
    acknowledged.push(nameOf(event));
  });
  await eventually('the other object', () => acknowledged.includes('good/1'));
  await stage.append(stage.newEvent('good', 2));
  await eventually('a later one', () => acknowledged.includes('good/2'));
  await eventually('what is stuck is all that is left', async () => (await stage.unpublished()) === 600);
});

it('backs off after the broker refused everything, however often it is woken', async () => {
  const rounds: number[] = [];
  await stage.append(...Array.from({ length: 60 }, (_, index) => stage.newEvent(`object-${index}`, 1)));
  const relay = stage.startRelay((event) => {
    if (event.aggregateId === 'object-0') rounds.push(performance.now());
    return Promise.reject(new Error('maximum bytes exceeded'));
  });
  const ringing = setInterval(() => relay.wake(), 1);
  await eventually('several rounds', () => rounds.length >= 3).finally(() => clearInterval(ringing));
  const rests = rounds.slice(1).map((atMs, index) => atMs - (rounds[index] ?? 0));
  expect(Math.min(...rests)).toBeGreaterThan(900);
});

it('takes over from a paused leader whose connection is open', async () => {
  let goOn = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (goOn = resolve));
  let frozen = '';
  stage.startRelay(async (event) => {
    frozen = nameOf(event);
    await stopped;
  });
  await stage.append(stage.newEvent('a', 1));
  await eventually('the first leads', () => frozen !== '');
  const published: string[] = [];
  stage.startRelay(async (event) => void published.push(nameOf(event)));
  await eventually('the second takes over', () => published.includes('a/1'), 25_000);
  goOn();
}, 40_000);

it('lets one of two relays publish; the other takes over when it stops', async () => {
  const by: Record<'first' | 'second', string[]> = { first: [], second: [] };
  const first = stage.startRelay(async (event) => void by.first.push(nameOf(event)));
  await stage.append(stage.newEvent('a', 1));
  await eventually('the first leads', () => by.first.length === 1);
  const second = stage.startRelay(async (event) => void by.second.push(nameOf(event)));
  for (let sequence = 2; sequence <= 30; sequence++) {
    await stage.append(stage.newEvent('a', sequence));
    second.wake();
  }
  await eventually('all', async () => (await stage.unpublished()) === 0);
  expect(by.first).toHaveLength(30);
  expect(by.second).toEqual([]);
  await first.stop();
  await stage.append(stage.newEvent('a', 31));
  await eventually('the second takes over', () => by.second.includes('a/31'));
});

it('repeats an event under the same id after a crash between publishing and writing published_at', async () => {
  const published: OutboxEvent[] = [];
  let crash = true;
  await stage.append(stage.newEvent('a', 1), stage.newEvent('a', 2));
  stage.startRelay(async (event) => {
    published.push(event);
    if (event.sequence === 2 && crash) {
      crash = false;
      await killRelayConnections();
    }
  });
  await eventually('published_at of all', async () => (await stage.unpublished()) === 0);
  expect(published.map(nameOf)).toEqual(['a/1', 'a/2', 'a/1', 'a/2']);
  expect(published[2]).toEqual(published[0]);
  expect(published[3]).toEqual(published[1]);
});

it('sets aside rows that can never be published and continues with the others', async () => {
  const bad = Array.from({ length: 600 }, (_, index) => stage.newEvent(`bad-${index}`, 1));
  await stage.append(...bad, stage.newEvent('good', 1), stage.newEvent('bad-0', 2));
  const published: string[] = [];
  stage.startRelay(async (event) => {
    if (event.aggregateId.startsWith('bad') && event.sequence === 1)
      throw new Refused('payload_too_large', 'The event is larger than the broker takes.\0');
    published.push(nameOf(event));
  });
  await eventually('the others', () => published.length === 2);
  expect(published).toEqual(['good/1', 'bad-0/2']);
  await eventually('nothing waits', async () => (await stage.unpublished()) === 0);
  const kept = await stage.sql<{ content: Buffer; reason: string }>(
    `SELECT content, reason FROM core.set_aside WHERE kind = 'outbox'`,
  );
  expect(kept).toHaveLength(600);
  const row = JSON.parse(kept[0]?.content.toString() ?? '') as { org_id: string; body: string };
  expect(row.org_id).toBe(stage.orgId);
  expect(JSON.parse(row.body)).toMatchObject({ event_type: 'order_updated' });
  await stage.append(stage.newEvent('good', 2));
  await eventually('a later one', () => published.includes('good/2'));
});

it('deletes events that every consumer knows, republishes the others, and asks by topic', async () => {
  await stage.append(
    stage.newEvent('known', 1),
    stage.newEvent('lost', 1),
    stage.newEvent('stock', 1, 'stock'),
    stage.newEvent('fresh', 1),
  );
  await stage.sql(
    `UPDATE core.outbox SET published_at = now() - interval '1 minute' WHERE aggregate_id <> 'fresh'`,
  );
  await stage.sql(`UPDATE core.outbox SET published_at = now() WHERE aggregate_id = 'fresh'`);
  const ids = new Map(
    (await stage.sql<{ id: string; aggregate_id: string }>('SELECT id, aggregate_id FROM core.outbox')).map(
      (row) => [row.aggregate_id, row.id],
    ),
  );
  const requested: [EventTopic, string[]][] = [];
  const published: string[] = [];
  stage.startRelay(
    async (event) => void published.push(nameOf(event)),
    async (topic, given) => {
      requested.push([topic, given]);
      return given.filter((id) => id === ids.get('lost'));
    },
  );
  await eventually(
    'the lost one again',
    async () => published.includes('lost/1') && (await stage.unpublished()) === 0,
  );
  expect(published).toEqual(['lost/1']);
  expect(requested).toEqual([
    ['plain', [ids.get('known'), ids.get('lost')]],
    ['stock', [ids.get('stock')]],
  ]);
  const left = await stage.sql<{ aggregate_id: string }>(
    'SELECT aggregate_id FROM core.outbox ORDER BY position',
  );
  expect(left.map((row) => row.aggregate_id)).toEqual(['lost', 'fresh']);
});

it('keeps the rows of a topic while one of its consumers is unavailable, and settles the others', async () => {
  await stage.append(stage.newEvent('b', 1, 'stock'), stage.newEvent('a', 1));
  await stage.sql(`UPDATE core.outbox SET published_at = now() - interval '1 minute'`);
  let requested = 0;
  const relay = stage.startRelay(
    () => Promise.reject(new Error('nothing is to be published')),
    (topic) => {
      requested++;
      return topic === 'stock' ? Promise.reject(new Error('nobody there')) : Promise.resolve([]);
    },
  );
  await eventually('it asked both', () => requested === 2);
  await relay.stop();
  const left = await stage.sql('SELECT aggregate_id FROM core.outbox WHERE published_at IS NOT NULL');
  expect(left).toEqual([{ aggregate_id: 'b' }]);
});

it('does not republish events that may be in transit to a consumer with a backlog', async () => {
  await stage.append(stage.newEvent('old', 1));
  await stage.sql(`UPDATE core.outbox SET published_at = now() - interval '1 minute'`);
  await stage.append(stage.newEvent('new', 1));
  const published: string[] = [];
  let requested = 0;
  const relay = stage.startRelay(
    async (event) => void published.push(nameOf(event)),
    async (_topic, ids) => ids,
    () => {
      requested++;
      return Promise.reject(new Error('webhook-worker is behind'));
    },
  );
  await eventually('it asked', () => requested === 1);
  await eventually('the new one', async () => published.length > 0 && (await stage.unpublished()) === 0);
  await relay.stop();
  expect(published).toEqual(['new/1']);
});

it('publishes audit records like events until order-core knows them', async () => {
  const caller = { kind: 'key', actorId: 'key-1', requestId: 'req-1' } as const;
  const change = { orgId: stage.orgId, action: 'product.update', object: 'product:1' };
  await stage.database.transaction((tx) => appendAuditRecord(tx, 'core', caller, change));
  const published: OutboxEvent[] = [];
  stage.startRelay(async (event) => void published.push(event));
  await eventually('the record', () => published.length === 1);
  const [record] = published;
  if (!record) throw new Error('nothing was published');
  const { id, topic, eventType, body } = record;
  expect({ topic, eventType }).toEqual({ topic: 'audit', eventType: 'audit_record' });
  expect(JSON.parse(body)).toEqual({
    id,
    org_id: stage.orgId,
    actor: 'key:key-1',
    action: 'product.update',
    object: 'product:1',
    request_id: 'req-1',
    at: expect.stringMatching(/Z$/),
  });
});

/** Unlike those of a pool, the relay's connections have no application name. */
async function killRelayConnections(): Promise<void> {
  await stage.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = '' AND pid <> pg_backend_pid()`,
  );
}

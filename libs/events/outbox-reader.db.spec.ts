import { eventually } from '@offizin/testkit/eventually';
import { nameOf, stageOutbox } from '@offizin/testkit/outbox-stage';
import { wasPaused } from '@offizin/runtime/pause-detector';
import { appendEvent, appendEvents } from './outbox';
import type { OutboxRelay } from './outbox-relay';
import { outboxBacklog } from './outbox-metrics';
import { appendAuditRecord } from './audit-outbox';

const stage = stageOutbox();

it('reports the number of unpublished rows and the age of the oldest', async () => {
  expect(await outboxBacklog(stage.database, 'core')).toEqual({ unpublished: 0, oldest_age_seconds: null });
  await stage.sql(
    `INSERT INTO core.outbox
       (id, org_id, event_type, aggregate_id, sequence, topic, body, created_at, published_at)
     SELECT gen_random_uuid(), gen_random_uuid(), 'order_updated', 'a', n, 'plain', '{}',
       now() - make_interval(secs => 100 - 10 * n), CASE WHEN n = 1 THEN now() END
     FROM generate_series(1, 4) n`,
  );
  const { unpublished, oldest_age_seconds: age } = await outboxBacklog(stage.database, 'core');
  expect(unpublished).toBe(3);
  expect(age).toBeGreaterThanOrEqual(80);
  expect(age).toBeLessThan(90);
});

describe('incremental reads', () => {
  /** Resolves once rows are deleted without an update, which only incremental reads do. */
  async function startIncremental(published: string[], refused = new Set<string>()): Promise<OutboxRelay> {
    const relay = stage.startRelay(async (event) => {
      if (refused.has(nameOf(event))) throw new Error('not acknowledged');
      published.push(nameOf(event));
    });
    await eventually('incremental reads', async () => {
      await stage.append(stage.newEvent('first', 1));
      relay.wake();
      await eventually('all', async () => (await stage.unpublished()) === 0);
      return (await stage.sql('SELECT id FROM core.outbox')).length < published.length;
    });
    await stage.sql('DELETE FROM core.outbox');
    published.splice(0);
    return relay;
  }

  it('deletes rows that every consumer knows without an update of them', async () => {
    const published: string[] = [];
    const relay = await startIncremental(published);
    await stage.sql(
      `CREATE FUNCTION core.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'updated'; END $$`,
    );
    await stage.sql(
      'CREATE TRIGGER not_updated BEFORE UPDATE ON core.outbox FOR EACH ROW EXECUTE FUNCTION core.refuse()',
    );
    for (let sequence = 1; sequence <= 20; sequence++) {
      await stage.append(stage.newEvent('a', sequence));
      relay.wake();
    }
    await eventually(
      'all are gone',
      async () => (await stage.sql('SELECT id FROM core.outbox')).length === 0,
    );
    await stage.sql('DROP FUNCTION core.refuse CASCADE');
    expect(published).toEqual(Array.from({ length: 20 }, (_, index) => `a/${index + 1}`));
  });

  it('finds a row committed after rows of higher position, and is not blocked by rolled back ones', async () => {
    const published: string[] = [];
    const relay = await startIncremental(published);
    const undone = stage.database.transaction(async (tx) => {
      await appendEvents(tx, 'core', [stage.newEvent('undone', 1), stage.newEvent('undone', 2)]);
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    await stage.database.transaction(async (tx) => {
      await appendEvent(tx, 'core', stage.newEvent('slow', 1));
      await stage.append(stage.newEvent('quick', 1));
      relay.wake();
      await eventually('the quick one', () => published.includes('quick/1'));
      const givenUpAtMs = performance.now() + 2_500;
      for (let sequence = 2; performance.now() < givenUpAtMs; sequence++) {
        await stage.append(stage.newEvent('quick', sequence));
        relay.wake();
        await eventually('a later one', () => published.includes(`quick/${sequence}`));
      }
    });
    relay.wake();
    await eventually('the slow one', () => published.includes('slow/1'));
    expect(published.filter((one) => !one.startsWith('quick'))).toEqual(['slow/1']);
  });

  it('sends only unacknowledged events again, before later ones of their object', async () => {
    const published: string[] = [];
    const refused = new Set(['a/2']);
    const relay = await startIncremental(published, refused);
    await stage.append(stage.newEvent('a', 1));
    relay.wake();
    await eventually('the first one', () => published.includes('a/1'));
    await stage.append(stage.newEvent('a', 2), stage.newEvent('a', 3), stage.newEvent('b', 1));
    relay.wake();
    await eventually('the others', () => published.length === 2);
    await stage.append(stage.newEvent('a', 4), stage.newEvent('b', 2));
    relay.wake();
    await eventually('a later one', () => published.includes('b/2'));
    refused.clear();
    await eventually('all', () => published.length === 6);
    expect(published.filter((one) => one.startsWith('a'))).toEqual(['a/1', 'a/2', 'a/3', 'a/4']);
    await eventually('nothing is left', async () => (await stage.unpublished()) === 0);
    expect(published).toHaveLength(6);
  });

  it('sets published_at when it stops, so that the next leader does not send them again', async () => {
    const published: string[] = [];
    const relay = await startIncremental(published);
    await stage.append(stage.newEvent('a', 1), stage.newEvent('b', 1));
    relay.wake();
    await eventually('both', () => published.length === 2);
    await relay.stop();
    expect(await stage.unpublished()).toBe(0);
  });
});

describe('times of events', () => {
  const HOUR_MS = 3_600_000;
  const LEEWAY_MS = 30_000;
  afterEach(() => jest.useRealTimers());

  it.each([HOUR_MS, -HOUR_MS])(
    'stores the time of the database when the clock of the process jumps by %i ms',
    async (shiftMs) => {
      const doNotFake = [
        'setTimeout',
        'clearTimeout',
        'setInterval',
        'clearInterval',
        'setImmediate',
      ] as const;
      const further = ['clearImmediate', 'nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const;
      jest.useFakeTimers({ now: Date.now() + shiftMs, doNotFake: [...doNotFake, ...further] });
      await eventually('the beat after the jump', () => !wasPaused());
      await stage.append(stage.newEvent('many', 1), stage.newEvent('many', 2));
      await stage.database.transaction(async (tx) => {
        await appendEvent(tx, 'core', stage.newEvent('one', 1));
        const caller = { kind: 'key', actorId: 'a', requestId: 'r' } as const;
        await appendAuditRecord(tx, 'core', caller, { orgId: stage.orgId, action: 'a.b', object: 'a:b' });
      });
      const rows = await stage.sql<{ body: string; id_ms: string; now_ms: string }>(
        `SELECT body, ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint AS id_ms,
       extract(epoch FROM clock_timestamp())::bigint * 1000 AS now_ms FROM core.outbox`,
      );
      expect(rows).toHaveLength(4);
      for (const { body, id_ms: idMs, now_ms: nowMs } of rows) {
        const { id, created_at: createdAt, at = createdAt } = JSON.parse(body) as Record<string, string>;
        expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(id).toBeDefined();
        expect(Math.abs(Date.parse(at ?? '') - Number(nowMs))).toBeLessThan(LEEWAY_MS);
        expect(Math.abs(Number(idMs) - Number(nowMs))).toBeLessThan(LEEWAY_MS);
      }
    },
  );
});

import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { EventLane, OutboxEvent } from '@offizin/contracts/events';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import {
  appendEvent,
  appendEvents,
  createOutboxSql,
  dropOutboxTimesSql,
  type NewEvent,
  OutboxRow,
  traceOutboxSql,
} from './outbox';
import { OutboxRelay } from './outbox-relay';

class MakeOutbox1700000000000 implements MigrationInterface {
  name = 'MakeOutbox1700000000000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...createOutboxSql('core'), traceOutboxSql('core'), dropOutboxTimesSql('core')]) {
      await runner.query(sql);
    }
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

const ORG = '0197a000-0000-7000-8000-000000000001';
let test: TestDatabase;
const relays: OutboxRelay[] = [];

beforeAll(async () => {
  test = await testDatabase({ schema: 'core', entities: [OutboxRow], migrations: [MakeOutbox1700000000000] });
});

afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  await sql('TRUNCATE core.outbox');
});

afterAll(() => test.close());

async function sql<Row>(text: string, parameters: unknown[] = []): Promise<Row[]> {
  return test.database.dataSource.query<Row[]>(text, parameters);
}

function newEvent(aggregateId: string, sequence: number, lane: EventLane = 'plain'): NewEvent {
  return {
    ...{ orgId: ORG, eventType: 'order_updated', aggregateId, sequence, lane },
    ...{ title: 't', description: 'd', metadata: { order_id: aggregateId } },
  };
}

async function append(...events: NewEvent[]): Promise<void> {
  await test.database.transaction((tx) => appendEvents(tx, 'core', events));
}

async function unpublished(): Promise<number> {
  return (await sql('SELECT id FROM core.outbox WHERE published_at IS NULL')).length;
}

function startRelay(
  publish: (event: OutboxEvent) => Promise<void>,
  unknown: (lane: EventLane, ids: string[]) => Promise<string[]> = (_, ids) =>
    Promise.resolve(ids.slice(0, 0)),
): OutboxRelay {
  const relay = new OutboxRelay({ databaseUrl: test.url, schema: 'core', publish, unknown });
  relays.push(relay);
  relay.start();
  return relay;
}

const name = (event: OutboxEvent): string => `${event.aggregateId}/${event.sequence}`;

describe('looking onward', () => {
  /** Its rows go without having been marked: only who looks onward lets that happen. */
  async function startOnward(published: string[], refused = new Set<string>()): Promise<OutboxRelay> {
    const relay = startRelay(async (event) => {
      if (refused.has(name(event))) throw new Error('not acknowledged');
      published.push(name(event));
    });
    await eventually('it looks onward', async () => {
      await append(newEvent('first', 1));
      relay.ring();
      await eventually('all', async () => (await unpublished()) === 0);
      return (await sql('SELECT id FROM core.outbox')).length < published.length;
    });
    await sql('DELETE FROM core.outbox');
    published.splice(0);
    return relay;
  }

  it('deletes what every consumer knows, without marking it before', async () => {
    const published: string[] = [];
    const relay = await startOnward(published);
    await sql(
      `CREATE FUNCTION core.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'marked'; END $$`,
    );
    await sql(
      'CREATE TRIGGER unmarked BEFORE UPDATE ON core.outbox FOR EACH ROW EXECUTE FUNCTION core.refuse()',
    );
    for (let sequence = 1; sequence <= 20; sequence++) {
      await append(newEvent('a', sequence));
      relay.ring();
    }
    await eventually('all are gone', async () => (await sql('SELECT id FROM core.outbox')).length === 0);
    await sql('DROP FUNCTION core.refuse CASCADE');
    expect(published).toEqual(Array.from({ length: 20 }, (_, index) => `a/${index + 1}`));
  });

  it('finds what was committed after rows behind it, and is not held up by what was rolled back', async () => {
    const published: string[] = [];
    const relay = await startOnward(published);
    const undone = test.database.transaction(async (tx) => {
      await appendEvents(tx, 'core', [newEvent('undone', 1), newEvent('undone', 2)]);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await test.database.transaction(async (tx) => {
      await appendEvent(tx, 'core', newEvent('slow', 1));
      await append(newEvent('quick', 1));
      relay.ring();
      await eventually('the quick one', () => published.includes('quick/1'));
      // Long enough for gaps without a writer to be given up, and this one has a writer.
      const givenUpAtMs = performance.now() + 2_500;
      for (let sequence = 2; performance.now() < givenUpAtMs; sequence++) {
        await append(newEvent('quick', sequence));
        relay.ring();
        await eventually('a later one', () => published.includes(`quick/${sequence}`));
      }
    });
    relay.ring();
    await eventually('the slow one', () => published.includes('slow/1'));
    expect(published.filter((one) => !one.startsWith('quick'))).toEqual(['slow/1']);
  });

  it('sends again what was refused, before what came later, and nothing else', async () => {
    const published: string[] = [];
    const refused = new Set(['a/2']);
    const relay = await startOnward(published, refused);
    await append(newEvent('a', 1), newEvent('a', 2), newEvent('a', 3), newEvent('b', 1));
    relay.ring();
    await eventually('the others', () => published.length === 2);
    await append(newEvent('a', 4), newEvent('b', 2));
    relay.ring();
    await eventually('a later one', () => published.includes('b/2'));
    refused.clear();
    await eventually('all', () => published.length === 6);
    expect(published.filter((one) => one.startsWith('a'))).toEqual(['a/1', 'a/2', 'a/3', 'a/4']);
    await eventually('nothing is left', async () => (await unpublished()) === 0);
    expect(published).toHaveLength(6);
  });

  it('marks what it published when it stops, so that the next leader does not send it again', async () => {
    const published: string[] = [];
    const relay = await startOnward(published);
    await append(newEvent('a', 1), newEvent('b', 1));
    relay.ring();
    await eventually('both', () => published.length === 2);
    await relay.stop();
    expect(await unpublished()).toBe(0);
  });
});

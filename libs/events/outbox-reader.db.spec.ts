import { eventually } from '@offizin/testkit/eventually';
import { nameOf, stageOutbox } from '@offizin/testkit/outbox-stage';
import { appendEvent, appendEvents } from './outbox';
import type { OutboxRelay } from './outbox-relay';

const stage = stageOutbox();

describe('incremental reads', () => {
  /** Resolves once rows are deleted unmarked, which only incremental reads do. */
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

  it('deletes rows that every consumer knows without marking them', async () => {
    const published: string[] = [];
    const relay = await startIncremental(published);
    await stage.sql(
      `CREATE FUNCTION core.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'marked'; END $$`,
    );
    await stage.sql(
      'CREATE TRIGGER unmarked BEFORE UPDATE ON core.outbox FOR EACH ROW EXECUTE FUNCTION core.refuse()',
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

  it('marks published rows when it stops, so that the next leader does not send them again', async () => {
    const published: string[] = [];
    const relay = await startIncremental(published);
    await stage.append(stage.newEvent('a', 1), stage.newEvent('b', 1));
    relay.wake();
    await eventually('both', () => published.length === 2);
    await relay.stop();
    expect(await stage.unpublished()).toBe(0);
  });
});

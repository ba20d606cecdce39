import { statement } from '@offizin/pg/database';
import { appendEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { eventually } from '@offizin/testkit/eventually';
import { type Subscriber, type WorkerFixture, workerSpec } from '../../../apps/webhook-worker/spec-fixture';
import type { Operation } from '../history';
import { checkDeliveries, checkOrder, checkSet, type SequencedArrival } from './checkers';

/**
 * Each checker fails on an engine that this spec breaks on purpose, and passes on the real one, over the real tables of
 * a real PostgreSQL.
 */
let worker: WorkerFixture;
let subscriber: Subscriber;
const test = workerSpec((stage) => ({ worker, subscriber } = stage));

/** Waits for some ticks, as a request would. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a relay without a retry', () => {
  /** The broker refuses every third event once. Resolves with the events that never arrived there. */
  async function lostBy(publishBy: (publish: () => Promise<void>) => Promise<void>): Promise<string[]> {
    const operations: Operation[] = [];
    const arrived: { key: string; id: string }[] = [];
    const refused = new Set<string>();
    await worker.database.transaction(async (tx) => {
      for (const { aggregateId, sequence } of Array.from({ length: 30 }, () => worker.event())) {
        const about = { orgId: worker.orgId, eventType: 'order_updated' as const, topic: 'plain' as const };
        const texts = { title: 't', description: 'd', metadata: { order_id: aggregateId } };
        await appendEvent(tx, 'webhooks', { ...about, ...texts, aggregateId, sequence });
        operations.push(accepted(aggregateId));
      }
    });
    let count = 0;
    const relay = new OutboxRelay({
      databaseUrl: test.url,
      schema: 'webhooks',
      publish: ([event]) =>
        publishBy(async () => {
          if (!event) return;
          count += 1;
          if (count % 3 === 0 && !refused.has(event.id)) {
            refused.add(event.id);
            throw new Error('no space left on device');
          }
          arrived.push({ key: event.aggregateId, id: event.aggregateId });
        }),
      unknown: () => Promise.resolve([]),
    });
    relay.start();
    await eventually('the outbox is published', async () => {
      const left = await worker.sql('SELECT id FROM webhooks.outbox WHERE published_at IS NULL');
      return left.length === 0;
    });
    await relay.stop();
    return checkSet(operations, arrived).lost;
  }

  it('loses events, and the set checker says which', async () => {
    expect(await lostBy((publish) => publish().catch(() => undefined))).not.toEqual([]);
    expect(await lostBy((publish) => publish())).toEqual([]);
  });
});

function accepted(key: string): Operation {
  return {
    kind: 'event',
    key,
    via: 'spec',
    invokedAtMs: 0,
    finishedAtMs: 0,
    outcome: 'ok',
    status: 200,
    id: key,
  };
}

/** A row leased by the broken SQL below. */
interface Claimed {
  id: string;
  event_id: string;
  aggregate_id: string;
  sequence: number;
}

/** Three senders lease by the given SQL, send and mark, until nothing is pending. */
async function sendBy(claimSql: string): Promise<SequencedArrival[]> {
  const arrivals: SequencedArrival[] = [];
  const claim = statement<Claimed, [string]>(`broken_${claimSql.length}`, claimSql);
  const sender = async (slowness: number): Promise<void> => {
    for (let idle = 0; idle < 3;) {
      const claimed = await worker.database.rows(claim, worker.orgId);
      idle = claimed.length === 0 ? idle + 1 : 0;
      for (const { id, aggregate_id: aggregateId, sequence } of claimed) {
        await turns(slowness);
        arrivals.push({ endpoint: 'x', aggregateId, sequence, deliveryId: id });
        await worker.sql(
          `UPDATE webhooks.deliveries SET status = 'succeeded', queue = NULL, lease_until = NULL WHERE id = $1`,
          id,
        );
      }
    }
  };
  await Promise.all([sender(1), sender(40), sender(200)]);
  return arrivals;
}

async function twentyLines(): Promise<string[]> {
  await worker.subscribe(subscriber.url);
  const lines = Array.from({ length: 20 }, () => worker.eventsOfOneObject(10));
  for (let place = 0; place < 10; place++)
    await worker.inbox.handle(lines.flatMap((line) => line[place] ?? []));
  return lines.flat().map(({ id }) => id);
}

const arrivedAtSubscriber = () =>
  subscriber.received.map(({ headers, body, orderId, sequence }) => ({
    endpoint: 'x',
    eventId: (JSON.parse(body) as { id: string }).id,
    deliveryId: String(headers['x-service-delivery-id']),
    aggregateId: orderId,
    sequence,
  }));

describe('a lease that ignores the head of the queue', () => {
  it('inverts events, and the order checker says where', async () => {
    await twentyLines();
    const arrivals = await sendBy(
      `UPDATE webhooks.deliveries SET lease_until = now() + interval '1 minute'
       WHERE id IN (SELECT id FROM webhooks.deliveries
         WHERE org_id = $1 AND status = 'pending' AND lease_until IS NULL
         ORDER BY next_attempt_at, id LIMIT 8 FOR UPDATE SKIP LOCKED)
       RETURNING id, event_id, aggregate_id, sequence`,
    );
    expect(checkOrder(arrivals).inversions.length).toBeGreaterThan(0);
  });
});

describe('a claim without a lease', () => {
  it('sends twice although no sender died, and the delivery checker counts it', async () => {
    await twentyLines();
    const arrivals = await sendBy(
      `SELECT id, event_id, aggregate_id, sequence FROM webhooks.deliveries
       WHERE org_id = $1 AND status = 'pending' ORDER BY next_attempt_at, id LIMIT 8`,
    );
    const sent = arrivals.map(({ endpoint, deliveryId }) => ({ endpoint, eventId: deliveryId, deliveryId }));
    expect(checkDeliveries([], ['x'], sent).repeats).toBeGreaterThan(0);
  });
});

describe('the engine as it is', () => {
  it('passes all of them, with three replicas', async () => {
    const eventIds = await twentyLines();
    for (let replica = 0; replica < 3; replica++) worker.startEngine();
    await eventually('all deliveries', () => subscriber.received.length >= eventIds.length, 20_000);
    await worker.stopEngines();
    expect(checkOrder(arrivedAtSubscriber())).toEqual({ lines: 20, inversions: [] });
    expect(checkDeliveries(eventIds, ['x'], arrivedAtSubscriber())).toEqual({
      undelivered: [],
      doubled: [],
      repeats: 0,
    });
  });
});

describe('reading first and inserting afterwards', () => {
  const stored = () => worker.sql<{ key: string; id: string }>('SELECT key, id FROM webhooks.looked_up');

  it('stores concurrent requests twice, and the set checker reports it', async () => {
    await worker.sql('CREATE TABLE webhooks.looked_up (id text PRIMARY KEY, key text NOT NULL)');
    const submit = async (id: string): Promise<string> => {
      const found = await worker.sql<{ id: string }>('SELECT id FROM webhooks.looked_up WHERE key = $1', 'k');
      if (found[0]) return found[0].id;
      await worker.sql('INSERT INTO webhooks.looked_up (id, key) VALUES ($1, $2)', id, 'k');
      return id;
    };
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => submit(String(index))));
    const operations = ids.map((id) => ({ key: 'k', outcome: 'ok' as const, id }));
    expect(checkSet(operations, await stored()).doubled).toEqual(['k']);
  });
});

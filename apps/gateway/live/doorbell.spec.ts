import { eventually } from '@offizin/testkit/eventually';
import { TestBroker } from '@offizin/testkit/broker';
import { CHANGED_SUBJECT } from '@offizin/contracts/console/live';
import { changeOf, Doorbell, type Ring, ringsOf } from './doorbell';

const ORG = '01890000-0000-7000-8000-000000000001';

function message(...events: object[]): Buffer {
  const pairs = events.map(
    (event) => `${JSON.stringify({ orgId: ORG, ...event })}\n{"title":"Erika Muster"}`,
  );
  return Buffer.from(pairs.join('\n'));
}

describe('the doorbell', () => {
  it('reads of each event only the organization, the kind and the id', () => {
    const data = message(
      { eventType: 'order_created', aggregateId: 'o1' },
      { eventType: 'order_request_rejected', aggregateId: 'r1' },
    );
    expect(ringsOf('events.plain.order-core', data)).toEqual([
      { orgId: ORG, change: { kind: 'order', id: 'o1' } },
      { orgId: ORG, change: { kind: 'order_request', id: 'r1' } },
    ]);
  });

  it('names a product by its own id', () => {
    const data = message(
      { eventType: 'inventory_adjusted', aggregateId: `product:${ORG}:P:1` },
      { eventType: 'product_attached', aggregateId: 'shop-product:s1:P2' },
    );
    expect(ringsOf('events.plain.catalog', data).map(({ change }) => change)).toEqual([
      { kind: 'inventory', id: 'P:1' },
      { kind: 'product', id: 'P2' },
    ]);
  });

  it('leaves out unknown kinds, events of another service and what is malformed, and keeps the rest', () => {
    const good = { eventType: 'order_created', aggregateId: 'o1' };
    const data = message(
      { eventType: 'order_lost', aggregateId: 'o1' },
      { eventType: 'product_updated', aggregateId: 'x' },
      { eventType: 'order_created', aggregateId: 7 },
      { eventType: 'order_created', aggregateId: 'x'.repeat(256) },
      { ...good, orgId: null },
      good,
    );
    expect(ringsOf('events.plain.order-core', data)).toHaveLength(1);
    expect(ringsOf('events.plain.order-core', Buffer.concat([Buffer.from('{\n\n'), data]))).toHaveLength(1);
    for (const text of ['', '\n', 'null', '[]\n{}'])
      expect(ringsOf('events.plain.order-core', Buffer.from(text))).toEqual([]);
  });
});

it('reads of a change without an event whose it is and what it is about, and nothing malformed', () => {
  const read = (message: object | null) => changeOf(CHANGED_SUBJECT, Buffer.from(JSON.stringify(message)));
  const change = { orgId: ORG, kind: 'order_request', id: 'r1' };
  expect(read(change)).toEqual([{ orgId: ORG, change: { kind: 'order_request', id: 'r1' } }]);
  for (const wrong of [{ kind: 'person' }, { id: 7 }, { orgId: null }, { id: 'x'.repeat(256) }])
    expect(read({ ...change, ...wrong })).toEqual([]);
  expect(read(null)).toEqual([]);
});

it('hears events and other changes with the rights of the gateway, and says when some may have been missed', async () => {
  const broker = await TestBroker.start();
  try {
    const connection = await broker.connectAs('gateway');
    const rings: Ring[] = [];
    let missed = 0;
    const doorbell = new Doorbell(connection, {
      rung: (more) => rings.push(...more),
      missed: () => missed++,
    });
    doorbell.start();
    await connection.flush();
    const publisher = await broker.connectAs('order-core');
    publisher.publish('events.plain.order-core', message({ eventType: 'order_created', aggregateId: 'o1' }));
    publisher.publish(
      CHANGED_SUBJECT,
      Buffer.from(JSON.stringify({ orgId: ORG, kind: 'order_request', id: 'r1' })),
    );
    await eventually('two rings', () => rings.length === 2);
    expect(missed).toBe(0);
    await broker.whileAway(() => Promise.resolve());
    await eventually('a note of what may be missed', () => missed === 1);
    doorbell.stop();
  } finally {
    await broker.stop();
  }
}, 30_000);

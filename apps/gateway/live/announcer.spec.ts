import { CHANGED_SUBJECT, MAX_LIVE_CHANGES } from '@offizin/contracts/console/live';
import { scopesOfRole } from '@offizin/contracts/people/roles';
import { eventually } from '@offizin/testkit/eventually';
import { TestBroker } from '@offizin/testkit/broker';
import { changeOf, Doorbell, PendingChanges, type Ring, ringsOf } from './announcer';

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

it('receives events and other changes with the rights of the gateway, and reports when it may miss some', async () => {
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

const owner = scopesOfRole('owner');
const clerk = scopesOfRole('clerk');

function pendingOf(...changes: Parameters<PendingChanges['add']>[0][]): PendingChanges {
  const pending = new PendingChanges();
  for (const change of changes) pending.add(change);
  return pending;
}

function orders(count: number): PendingChanges {
  return pendingOf(
    ...Array.from({ length: count }, (_, index) => ({ kind: 'order' as const, id: `${index}` })),
  );
}

describe('changes that wait', () => {
  it('name each object once', () => {
    const pending = pendingOf(
      { kind: 'order', id: '1' },
      { kind: 'order', id: '1' },
      { kind: 'product', id: '1' },
    );
    const changes = [
      { kind: 'order', id: '1' },
      { kind: 'product', id: '1' },
    ];
    expect(pending.messageFor(owner)).toEqual({ changes });
  });

  it('are only for roles that may read the kind', () => {
    const pending = pendingOf({ kind: 'order_request', id: '1' }, { kind: 'prescription', id: '2' });
    expect(pending.messageFor(owner)?.changes).toHaveLength(2);
    expect(pending.messageFor(clerk)).toBeNull();
    pending.add({ kind: 'order', id: '3' });
    expect(pending.messageFor(clerk)).toEqual({ changes: [{ kind: 'order', id: '3' }] });
  });

  it('become `all` beyond the limit, and not for a role that may read few of them', () => {
    expect(orders(MAX_LIVE_CHANGES).messageFor(owner)?.changes).toHaveLength(MAX_LIVE_CHANGES);
    expect(orders(MAX_LIVE_CHANGES + 1).messageFor(owner)).toEqual({ changes: [], all: true });
    const mixed = orders(MAX_LIVE_CHANGES);
    mixed.add({ kind: 'order_request', id: 'r' });
    expect(mixed.messageFor(owner)).toEqual({ changes: [], all: true });
    expect(mixed.messageFor(clerk)?.changes).toHaveLength(MAX_LIVE_CHANGES);
  });

  it('are `all` for everybody when some may have been missed', () => {
    const pending = new PendingChanges();
    expect(pending.isEmpty()).toBe(true);
    pending.addAll();
    expect(pending.isEmpty()).toBe(false);
    expect(pending.messageFor(clerk)).toEqual({ changes: [], all: true });
  });
});

import * as api from '@offizin/contracts/orders/orders';
import { BACKGROUND_TRANSACTION_MS, statement } from '@offizin/pg/database';
import type { Pieces } from '@offizin/contracts/calls/operation';
import type { OrderExportQuery } from '@offizin/contracts/exports';
import { inParts } from '@offizin/testkit/in-parts';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { upsertOrders } from './orders.store';
import { CsvFiles } from '../../csv/csv-files';
import { ReadAudit } from '../../audit/read-audit';
import { readExportPage } from './order-export.store';
import { OrderExportHandlers } from './order-export.handlers';
import { coreSpec } from '../../spec/core-spec';

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

describe('the list of changes', () => {
  /** Why a caller asks for changes from a minute before the last one that it has. */
  const OVERLAP_MS = 60_000;
  const rename = statement<never, [string]>(
    'spec_rename_order',
    `UPDATE core.orders SET customer_name = 'renamed', updated_at = now() WHERE id = $1`,
  );

  it('finds a change that began before the last one that was seen, and was committed after it', async () => {
    const changedSince = async (since: string): Promise<string[]> => {
      const query = new URLSearchParams({ sort: 'updated_at', updated_since: since }).toString();
      const { body } = await core.call(api.listOrders, { query });
      return body.data.map((order) => `${order.external_id} ${order.customer_name}`);
    };
    const { id } = (await core.upsert('slow')).body;
    await core.upsert('quick');
    const seen = await test.database.transaction(async (tx) => {
      await tx.rows(rename, id);
      return (await core.upsert('quick', { customer_name: 'changed' })).body.updated_at;
    });
    expect(await changedSince(seen)).not.toContain('slow renamed');
    const earlier = new Date(Date.parse(seen) - OVERLAP_MS).toISOString();
    expect(await changedSince(earlier)).toContain('slow renamed');
  });

  it('lets no transaction that writes be older than that', () => {
    expect(BACKGROUND_TRANSACTION_MS).toBeLessThanOrEqual(OVERLAP_MS);
  });
});

describe('the stored summary', () => {
  /**
   * The stored summary of each order must equal the text that the list would compute, however the order was written.
   */
  async function upsert(externalId: string, fields: object = {}): Promise<string> {
    return (await core.upsert(externalId, fields)).body.id;
  }

  async function sql(text: string, ...values: unknown[]): Promise<void> {
    await test.database.dataSource.query(text, values);
  }

  /** Compares the items of the list with the orders. */
  async function expectTrueList(): Promise<void> {
    expect(await core.falseSummaries()).toEqual([]);
    const { data } = (await core.call(api.listOrders, { query: 'limit=200' })).body;
    for (const item of data) {
      expect(await core.order(item.id)).toMatchObject(item);
    }
  }

  async function listed(orderId: string) {
    const { data } = (await core.call(api.listOrders, { query: 'limit=200' })).body;
    return data.find(({ id }) => id === orderId);
  }

  const ODD_NAMES = ['', '"', '\\', '\n\t\u0001', 'Jörg Ünal', '},\n{"id":"', '💊', 'null'];

  it.each(ODD_NAMES)('is correct for a new and a changed order with the name %j', async (name) => {
    const made = await upsert(`made ${name}`, { customer_name: name, items: [{ qty: 2, price: 1.15 }] });
    const changed = await upsert('changed', { total_amount: 10 });
    await upsert('changed', { customer_name: name, payment_status: 'paid', total_amount: 10.5 });
    await expectTrueList();
    expect(await listed(made)).toMatchObject({ customer_name: name, total_amount: 2.3 });
    expect(await listed(changed)).toMatchObject({ customer_name: name, total_amount: 10.5 });
  });

  it('is correct after each way to change an order: batch, id, status, cleared fields', async () => {
    const orders = ['a', 'b', 'c'].map((externalId) => core.upsertMember(externalId, { customer_name: 'A' }));
    await upsertOrders(test.database, orders);
    await upsertOrders(test.database, [
      core.upsertMember('b', { customer_name: 'B' }),
      core.upsertMember('d', { customer_name: 'D' }),
    ]);
    const orderId = await upsert('e', { customer_name: 'E' });
    await core.update(orderId, { customer_name: 'F', total_amount: 3 });
    await expectTrueList();
    await core.patch(orderId, { status: 'awaiting_packing' });
    await core.patch(orderId, { payment_status: 'paid' });
    await expectTrueList();
    expect(await listed(orderId)).toMatchObject({ status: 'awaiting_packing', payment_status: 'paid' });
    await core.update(orderId, { customer_name: null, total_amount: null });
    await expectTrueList();
    expect(await listed(orderId)).toMatchObject({ customer_name: null, total_amount: 0 });
  });

  /** Listed columns that plain SQL may set. */
  const BY_HAND: [string, string][] = [
    ['external_id', `'by "hand"'`],
    ['status', `'shipped'`],
    ['shop_id', `'00000000-0000-7000-8000-000000000001'`],
    ['customer_name', `E'by\\nhand'`],
    ['customer_name', 'NULL'],
    ['total_amount', '1234567.80'],
    ['payment_status', `'failed'`],
    ['created_at', `'2026-01-01T00:00:00.000999Z'`],
    ['updated_at', `'2026-01-01T00:00:00Z'`],
    ['summary', `'{"id":"forged"}'`],
  ];

  it.each(BY_HAND)('is correct when plain SQL sets %s to %s', async (column, value) => {
    await upsert('a', { customer_name: 'A' });
    await sql(`UPDATE core.orders SET ${column} = ${value} WHERE org_id = $1`, core.orgId);
    expect(await core.falseSummaries()).toEqual([]);
    expect((await core.call(api.listOrders)).body.data).toHaveLength(1);
  });

  it('is correct for orders that one plain statement inserts', async () => {
    await sql(
      `INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status, items)
     SELECT gen_random_uuid(), $1, $2, 'hand-' || n, n / 10.0, false, 'paid', 'pending', '[]' FROM generate_series(1, 100) n`,
      core.orgId,
      core.shopId,
    );
    await expectTrueList();
  });
});

describe('the export', () => {
  let handlers: OrderExportHandlers;

  beforeEach(() => {
    handlers = new OrderExportHandlers(test.database, new CsvFiles(new ReadAudit(test.database)));
  });

  const query: OrderExportQuery = { sort: '-created_at' };

  async function begin(filters: Partial<OrderExportQuery> = {}): Promise<Pieces> {
    const call = {
      caller: core.key(),
      query: { ...query, ...filters },
      params: { orgId: core.orgId },
      body: {},
    };
    const { content } = await handlers.export({ ...call, headers: { accept: 'text/csv' } });
    if (content?.kind !== 'pieces') throw new Error('no pieces');
    return content.pieces;
  }

  /** Rows without their head, and the longest piece. */
  async function readAll(pieces: Pieces, between: () => Promise<void> = async () => undefined) {
    const texts: string[] = [];
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
      texts.push(piece.value);
      await between();
    }
    const rows = texts.join('').trimEnd().split('\r\n').slice(1);
    return { rows, longest: Math.max(...texts.map(({ length }) => length)) };
  }

  const insertMany = statement<never, [string, string, string, number, number]>(
    'spec_insert_exported',
    `INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status,
     items, created_at)
   SELECT gen_random_uuid(), $1, $2, 'export-' || n, 1, false, 'paid', 'pending', $3::jsonb,
     timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second'
   FROM generate_series($4::int, $5::int) n`,
  );

  async function fill(orders: number, items: object[] = []): Promise<void> {
    const common = [core.orgId, core.shopId, JSON.stringify(items)] as const;
    await inParts(orders, (from, to) => test.database.rows(insertMany, ...common, from, to));
  }

  const line = (name: string) => ({ p1_id: null, name, quantity: 1, price: 1 });

  it('20,000 rows come in small pieces, each order of the organization once, and the audit log states how many', async () => {
    await fill(10_000, [line('Salbe'), line('Öl')]);
    await (await OrderCoreFixture.make(test.database)).call(api.upsertOrder, { body: {} });
    const { rows, longest } = await readAll(await begin());
    expect(rows).toHaveLength(20_000);
    expect(new Set(rows.map((row) => row.split(',')[2])).size).toBe(10_000);
    expect(longest).toBeLessThan(200_000);
    const entries: { object: string }[] = await test.database.dataSource.query(
      `SELECT object FROM core.audit_log WHERE org_id = $1 AND action = 'order.export'`,
      [core.orgId],
    );
    expect(entries).toEqual([{ object: 'order-export:10000 all' }]);
  });

  it.each(['created_at', '-created_at', 'updated_at'] as const)(
    'orders that change during a walk by %s are not missed',
    async (sort) => {
      await fill(1_000);
      let changed = 0;
      const { rows } = await readAll(await begin({ sort }), async () => {
        await core.upsert(`export-${++changed * 190}`, { customer_name: 'B' });
      });
      const found = new Set(rows.map((row) => row.split(',')[2]));
      expect(found.size).toBe(1_000);
      expect(changed).toBeGreaterThanOrEqual(5);
    },
  );

  it('a page of large orders ends after its bytes', async () => {
    await fill(
      30,
      Array.from({ length: 400 }, () => line('x'.repeat(500))),
    );
    let cursor: string | null = null;
    const sizes: number[] = [];
    do {
      const page = await readExportPage(test.database, core.orgId, query, { cursor });
      sizes.push(page.orders.length);
      cursor = page.next;
    } while (cursor !== null);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(30);
    expect(Math.max(...sizes)).toBeLessThan(12);
  });

  it('a reader that leaves gives its place back, also one that never began to read', async () => {
    await fill(500);
    for (let round = 0; round < 3; round++) {
      const [one, two] = [await begin(), await begin()];
      await one.next();
      await one.return();
      await two.return();
    }
  });

  it('an organization writes two files at a time; the third waits, and is refused', async () => {
    await fill(500);
    const [one, two] = [await begin(), await begin()];
    await expect(begin()).rejects.toThrow('Your organization uses its whole share of CSV files.');
    await Promise.all([one.return(), two.return()]);
  });

  it('filters and an unknown shop are those of the list', async () => {
    await fill(3);
    const of = async (filters: Partial<OrderExportQuery>) =>
      (await readAll(await begin(filters))).rows.length;
    expect(await of({ external_id: 'export-2' })).toBe(1);
    expect(await of({ q: 'EXPORT-' })).toBe(3);
    expect(await of({ status: 'shipped' })).toBe(0);
    expect(await of({ created_to: '2026-01-01T00:00:02Z', payment_status: 'paid' })).toBe(1);
    await expect(begin({ shop_id: core.orgId })).rejects.toMatchObject({ code: 'not_found' });
  });
});

import { execFileSync } from 'node:child_process';
import { escapeIdentifier, type Pool } from 'pg';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { eventually } from '@offizin/testkit/eventually';
import type { Bench } from '../bench';
import { type DiskUse, growthOf, stayingGb, type TableSize } from '../disk-table';
import { type HttpRequest, UNIQUE } from '../load/job';
import { Receiver } from '../load/receiver';
import type { Row } from '../row';
import { stockedProducts } from '../seed/products';
import { subscribe } from '../seed/subscriptions';
import type { Tenant } from '../seed/tenants';
import { edgeRequest, pdfOf, requestBody } from '../seed/requests';
import { inFolder, inStack } from './whole-stack';

/** What orders take on disk: the growth of every table, over the main job on an empty stack. About 30 ms per order. */
const ORDERS = 4_000;
const QUICK_ORDERS = 20;
/** Size of each prescription, in KiB. */
const PDF_KB = 20;
const CALLERS = 8;
/** Each round takes so many orders through the whole job, so that new rows use the space of old row versions as in service. */
const ROUND_ORDERS = 1_000;
/** A table is vacuumed when a fifth of it is dead. */
const ROUNDS_PER_VACUUM = 2;
const DELIVERED_LIMIT_MS = 120_000;
/** Requests differ in their products, so that approvals do not wait for one row of stock. */
const PRODUCT_PAIRS = 25;

/** The states of each order after its approval. The second sells the stock. */
const MOVES = ['ready_pickup', 'picked_up', 'completed'] as const;

export const diskRows: Row[] = [
  {
    name: 'disk: GB that stay per million orders, without documents',
    unit: 'GB',
    bar: { of: 'nothing' },
    against: '–',
    run: async (bench) => {
      const disk = await inFolder(bench, 'disk', (dataDir) => inStack(dataDir, bench, diskUseOf));
      return { product: stayingGb(disk), raw: null, ratio: null, disk };
    },
  },
];

/**
 * The main job. A partner hands in an order request with a prescription and two lines. A pharmacist reads both, approves
 * with stock, and moves the order to its end. Every event is delivered to one subscription.
 */
async function diskUseOf(bench: Bench): Promise<DiskUse> {
  const orders = bench.quick ? QUICK_ORDERS : ORDERS;
  const tenant = await bench.tenants.get('disk');
  const products = await stockedProducts(bench, tenant, 2 * PRODUCT_PAIRS);
  const pdf = pdfOf(PDF_KB * 1024);
  const handedIn = Array.from({ length: PRODUCT_PAIRS }, (_, pair) =>
    requestOf(tenant, products.slice(2 * pair, 2 * pair + 2), pdf),
  );
  const receiver = await Receiver.start(1);
  try {
    await subscribe(bench, tenant, receiver.origins);
    const before = await readTableSizes(bench.sql);
    const walBefore = await walPosition(bench);
    for (let done = 0, round = 1; done < orders; done += ROUND_ORDERS, round++) {
      await takeThrough(bench, tenant, handedIn, Math.min(ROUND_ORDERS, orders - done));
      if (round % ROUNDS_PER_VACUUM === 0) await bench.sql.query('VACUUM (ANALYZE)');
    }
    await untilDelivered(bench);
    const walBytes = (await walPosition(bench)) - walBefore;
    const growth = growthOf(before, await readTableSizes(bench.sql), orders);
    return { orders, pdfKb: PDF_KB, growth, walBytes, commit: commit() };
  } finally {
    receiver.stop();
  }
}

async function takeThrough(
  bench: Bench,
  tenant: Tenant,
  handedIn: HttpRequest[],
  count: number,
): Promise<void> {
  const ports = [bench.stack.ports['connector-edge']];
  await bench.load.http({ ports, callers: CALLERS, requests: handedIn, count });
  const each = async (ids: string[], method: string, pathOf: (id: string) => string, body?: object) => {
    const requests = ids.map((id) => bench.api(tenant, method, pathOf(id), body));
    await bench.gateway(requests, CALLERS)({ count: requests.length });
  };
  const requestIds = await idsOf(bench, tenant, 'order_requests', 'pending');
  await each(requestIds, 'GET', (id) => `/order-requests/${id}`);
  await each(requestIds, 'GET', (id) => `/order-requests/${id}/prescription.pdf`);
  await each(requestIds, 'POST', (id) => `/order-requests/${id}/approve`, {});
  const orderIds = await idsOf(bench, tenant, 'orders', 'awaiting_packing');
  for (const status of MOVES) await each(orderIds, 'PATCH', (id) => `/orders/${id}/status`, { status });
}

async function idsOf(bench: Bench, { orgId }: Tenant, table: string, status: string): Promise<string[]> {
  const found = await bench.rows<{ id: string }>(
    `SELECT id FROM core.${table} WHERE org_id = $1 AND status = $2`,
    ...[orgId, status],
  );
  return found.map(({ id }) => id);
}

/** Until no event waits in an outbox, each is delivered, and every audit entry is sealed. */
async function untilDelivered(bench: Bench): Promise<void> {
  await eventually(
    'every event to be delivered and every audit entry to be sealed',
    async () => {
      const [left] = await bench.rows(
        `SELECT FROM core.outbox UNION ALL SELECT FROM catalog.outbox UNION ALL SELECT FROM webhooks.outbox
         UNION ALL SELECT FROM webhooks.deliveries WHERE status = 'pending'
         UNION ALL SELECT FROM core.audit_log WHERE position > (SELECT max(position) FROM core.audit_seals) LIMIT 1`,
      );
      return !left;
    },
    DELIVERED_LIMIT_MS,
  );
}

function requestOf(tenant: Tenant, products: readonly string[], pdf: string): HttpRequest {
  const payload = {
    customer_name: `Kundin ${UNIQUE}`,
    customer_email: `${UNIQUE}@example.org`,
    shipping_option: 'Abholung',
    items: products.map((p1_id) => ({ p1_id, name: `Produkt ${p1_id}`, quantity: 2, price: 8.95 })),
    prescription_pdf_base64: pdf,
  };
  return edgeRequest(tenant, requestBody(UNIQUE, payload));
}

const SCHEMAS = ['core', 'catalog', 'webhooks'];

const SIZES = `SELECT n.nspname AS schema, t.relname AS name,
    sum(pg_table_size(leaf.oid) + pg_indexes_size(leaf.oid))::float8 AS bytes
  FROM pg_class leaf
    JOIN pg_class t ON t.oid = coalesce(pg_partition_root(leaf.oid), leaf.oid)
    JOIN pg_namespace n ON n.oid = t.relnamespace
  WHERE leaf.relkind = 'r' AND n.nspname = ANY ($1::text[])
  GROUP BY 1, 2 ORDER BY 1, 2`;

/** Of every table of the three schemas, after a vacuum. */
async function readTableSizes(sql: Pool): Promise<TableSize[]> {
  await sql.query('VACUUM (ANALYZE)');
  const { rows } = await sql.query<{ schema: string; name: string; bytes: number }>(SIZES, [SCHEMAS]);
  const sizes: TableSize[] = [];
  for (const { schema, name, bytes } of rows) {
    const counted = await sql.query<{ count: number }>(
      `SELECT count(*)::float8 AS count FROM ${escapeIdentifier(schema)}.${escapeIdentifier(name)}`,
    );
    sizes.push({ name: `${schema}.${name}`, rows: counted.rows[0]?.count ?? 0, bytes });
  }
  return sizes;
}

async function walPosition(bench: Bench): Promise<number> {
  const [row] = await bench.rows<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`,
  );
  return row?.bytes ?? Number.NaN;
}

function commit(): string {
  const options = { cwd: checkoutRoot, encoding: 'utf8' } as const;
  return execFileSync('git', ['describe', '--always', '--dirty'], options).trim();
}

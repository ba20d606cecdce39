import { type HttpRequest, UNIQUE } from '@offizin/testkit/load/job';
import { makePdf } from '@offizin/testkit/pdf';
import type { Bench, Block } from '../bench';
import { type Size, SIZES } from './orders';
import type { Tenant } from './tenants';

/**
 * Order requests as a telemedicine platform hands them in, with a document or without; and organizations that have
 * many.
 */
const REQUESTS = 10_000;
const QUICK_REQUESTS = 250;
const CALLERS = 8;
/** As long as the encrypted payload of a request with three lines. */
const CIPHERTEXT_BYTES = 900;
const SEEDED_PDF_BYTES = 4 * 1024;

export function requestBody(reference: string, payload: object = {}): string {
  const items = [{ name: 'Salbe', quantity: 2, price: 3.5 }];
  return JSON.stringify({
    source: 'bench',
    external_reference: reference,
    payload: { customer_name: 'Erika Mustermann', items, ...payload },
  });
}

/** A PDF of this size, as base64: the rest is in a comment before its end. */
export function pdfOf(bytes: number): string {
  const small = makePdf('Rezept').toString('latin1');
  const filler = `%${'x'.repeat(bytes - small.length - 2)}\n`;
  return Buffer.from(small.replace('xref\n', `${filler}xref\n`), 'latin1').toString('base64');
}

const OWN_CHUNK_ROWS = 100_000;
/** Own requests lie over this time, evenly. */
const OWN_DAYS = 700;

/** To the tenant's first shop domain. */
function edgeRequest({ stack }: Bench, { shops, integrationKey }: Tenant, body: string): HttpRequest {
  const headers = {
    host: shops[0]?.domain ?? '',
    apikey: integrationKey,
    'content-type': 'application/json',
  };
  const origin = stack.urls.connectorEdge;
  return { origin, method: 'POST', path: '/api/v1/external-order', headers, body };
}

/** Blocks of one body. */
export function edge(bench: Bench, tenant: Tenant, body: string, callers: number): Block {
  const requests = [edgeRequest(bench, tenant, body)];
  return async (extent) => bench.load.http({ callers, requests, ...extent });
}

/** Gigabytes, else, after a few runs. */
export async function forgetDocuments(bench: Bench, { orgId }: Tenant): Promise<void> {
  await bench.sql.query('DELETE FROM core.documents WHERE org_id = $1', [orgId]);
  await bench.sql.query('VACUUM core.documents');
}

/** The pharmacy whose request list is full: requests with prescriptions, handed in by a partner as in reality. */
export async function tenantWithRequests(bench: Bench): Promise<Tenant> {
  const count = bench.quick ? QUICK_REQUESTS : REQUESTS;
  const tenant = await bench.tenants.get(bench.quick ? 'quick console' : 'console');
  const present = await countRequests(bench, tenant);
  if (present >= count) return tenant;
  const prescription_pdf_base64 = pdfOf(SEEDED_PDF_BYTES);
  const requests = Array.from({ length: count - present }, (_, index) => {
    const number = present + index;
    const items = ['Bedrocan 22/1', 'Vaporizer'].map((name) => ({
      name,
      quantity: 1 + (number % 15),
      price: 4.95,
    }));
    const payload = {
      customer_name: `Kundin ${number}`,
      items,
      shipping_option: 'Versand',
      prescription_pdf_base64,
    };
    return edgeRequest(bench, tenant, requestBody(`seed-${number}`, payload));
  });
  await bench.load.http({ callers: CALLERS, requests, count: requests.length });
  await bench.sql.query('VACUUM (ANALYZE) core.order_requests, core.documents');
  await bench.settle();
  return tenant;
}

/**
 * The organization whose requests are a twentieth pending, as after months. Inserted by SQL: their payloads cannot be
 * decrypted, and the list does not read them. All are young enough that none expires while it is measured.
 */
export async function tenantWithRawRequests(bench: Bench): Promise<Tenant> {
  const count = bench.quick ? QUICK_REQUESTS : REQUESTS;
  const tenant = await bench.tenants.get(`${bench.quick ? 'quick ' : ''}10 thousand order requests`);
  const present = await countRequests(bench, tenant);
  if (present >= count) return tenant;
  await bench.rows(
    `INSERT INTO core.order_requests (id, org_id, shop_id, source, external_reference, status, customer_name,
       lines_ciphertext, line_count, total_amount, payload_ciphertext, payload_digest, created_at, updated_at)
     SELECT webhooks.uuid_v7(), $1::uuid, ($2::uuid[])[1 + n % cardinality($2::uuid[])], 'bench', 'seed-' || n,
            CASE WHEN n % 20 = 0 THEN 'pending' WHEN n % 20 = 1 THEN 'rejected' ELSE 'approved' END, 'Kundin ' || n,
            $3::bytea, 3, n % 20000 / 100.0, $3::bytea, $4::bytea, at, at
     FROM (SELECT n, now() - make_interval(secs => n) AS at FROM generate_series($5::int, $6::int - 1) n) numbered`,
    tenant.orgId,
    tenant.shops.map(({ shopId }) => shopId),
    Buffer.alloc(CIPHERTEXT_BYTES, 1),
    Buffer.alloc(32, 1),
    present,
    count,
  );
  await bench.sql.query('VACUUM (ANALYZE) core.order_requests');
  return tenant;
}

/**
 * The organization whose partner has handed in `size` requests at the first shop; every second one became an order, which
 * changed a day later. Inserted by SQL, as tenantWithRawRequests does.
 */
export async function tenantWithOwnRequests(bench: Bench, size: Size): Promise<Tenant> {
  const count = bench.quick ? QUICK_REQUESTS : SIZES[size];
  const tenant = await bench.tenants.get(`${bench.quick ? 'quick ' : ''}${size} own requests`);
  const present = await countRequests(bench, tenant);
  for (let from = present; from < count; from += OWN_CHUNK_ROWS)
    await insertOwnRequests(bench, tenant, { from, to: Math.min(from + OWN_CHUNK_ROWS, count), count });
  if (present < count) await bench.sql.query('VACUUM (ANALYZE) core.order_requests, core.orders');
  return tenant;
}

async function insertOwnRequests(
  bench: Bench,
  { orgId, shops }: Tenant,
  { from, to, count }: { from: number; to: number; count: number },
): Promise<void> {
  await bench.rows(
    `WITH numbered AS (
       SELECT md5($1 || 'r' || n)::uuid AS id, CASE WHEN n % 2 = 0 THEN md5($1 || 'o' || n)::uuid END AS order_id, n,
              now() - make_interval(secs => ${OWN_DAYS} * 86400.0 * (1 - n / $5::float8)) AS at
       FROM generate_series($3::int, $4::int - 1) n
     ), integration AS (
       SELECT coalesce(first_key_id, id) AS id FROM core.api_keys WHERE org_id = $1::uuid AND kind = 'int' LIMIT 1
     ), sent AS (
       INSERT INTO core.order_requests (id, org_id, shop_id, source, external_reference, status, total_amount,
         payload_ciphertext, payload_digest, integration_id, order_id, created_at, updated_at)
       SELECT n.id, $1::uuid, $2::uuid, 'bench', 'own-' || n.n, CASE WHEN n.order_id IS NULL THEN 'rejected' ELSE 'approved' END,
              4.95, $6::bytea, $7::bytea, i.id, n.order_id, n.at, n.at
       FROM numbered n, integration i
     )
     INSERT INTO core.orders (id, org_id, shop_id, external_id, status, order_request_id, integration_id, total_amount,
       total_is_given, payment_status, items, created_at, updated_at)
     SELECT n.order_id, $1::uuid, $2::uuid, 'own-' || n.n, 'completed', n.id, i.id, 4.95, false, 'paid',
            '[{"p1_id": null, "name": "Salbe", "quantity": 1, "price": 4.95}]', n.at, n.at + interval '1 day'
     FROM numbered n, integration i WHERE n.order_id IS NOT NULL`,
    orgId,
    shops[0]?.shopId,
    from,
    to,
    count,
    Buffer.alloc(CIPHERTEXT_BYTES, 1),
    Buffer.alloc(32, 1),
  );
}

/** Pages in the middle of what its partner has sent. */
export function ownRequestsBlock({ load, stack }: Bench, { shops, integrationKey }: Tenant): Block {
  const middle = new Date(Date.now() - (OWN_DAYS / 2) * 86_400_000).toISOString();
  const path = `/api/v1/external-orders?updated_since=${middle}`;
  const headers = { host: shops[0]?.domain ?? '', apikey: integrationKey };
  const requests: HttpRequest[] = [{ origin: stack.urls.connectorEdge, method: 'GET', path, headers }];
  return async (extent) => load.http({ callers: 1, requests, ...extent });
}

/** Reads back `count` approved requests, each with a correction by staff, by their sender. */
export async function readBackBlock(
  bench: Bench,
  tenant: Tenant,
  count: number,
  callers: number,
): Promise<Block> {
  const idsOf = async (status: string): Promise<string[]> => {
    const found = await bench.rows<{ id: string }>(
      'SELECT id FROM core.order_requests WHERE org_id = $1 AND status = $2',
      tenant.orgId,
      status,
    );
    return found.map(({ id }) => id);
  };
  const missing = count - (await idsOf('approved')).length;
  if (missing > 0) {
    await edge(bench, tenant, requestBody(UNIQUE), callers)({ count: missing });
    const items = [{ name: 'Salbe', qty: 1, price: 3.5 }];
    const approvals = (await idsOf('pending')).map((id) =>
      bench.api(tenant, 'POST', `/order-requests/${id}/approve`, { items }),
    );
    await bench.gateway(approvals, callers)({ count: approvals.length });
    await bench.settle();
  }
  const { shops, integrationKey } = tenant;
  const headers = { host: shops[0]?.domain ?? '', apikey: integrationKey };
  const requests = (await idsOf('approved')).map((id): HttpRequest => {
    return {
      origin: bench.stack.urls.connectorEdge,
      method: 'GET',
      path: `/api/v1/external-order/${id}`,
      headers,
    };
  });
  return async (extent) => bench.load.http({ callers, requests, ...extent });
}

/** Hands in `count` requests by the gateway, and returns the ids of all that are pending then. */
export async function pendingRequestIds(
  bench: Bench,
  tenant: Tenant,
  { count, items }: { count: number; items: readonly object[] },
): Promise<string[]> {
  const payload = { shop_id: tenant.shops[0]?.shopId, customer_name: 'Erika Mustermann', items };
  const envelope = { source: 'bench', external_reference: UNIQUE, payload };
  await bench.gateway([bench.api(tenant, 'POST', '/order-requests', envelope)], 16)({ count });
  const rows = await bench.rows<{ id: string }>(
    `SELECT id FROM core.order_requests WHERE org_id = $1 AND status = 'pending'`,
    tenant.orgId,
  );
  return rows.map(({ id }) => id);
}

async function countRequests(bench: Bench, { orgId }: Tenant): Promise<number> {
  const [found] = await bench.rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM core.order_requests WHERE org_id = $1',
    orgId,
  );
  return found?.count ?? 0;
}

import type { Bench } from '../bench';
import { UNIQUE } from '../load/job';
import { Skipped } from '../row';
import { type Size, SIZES } from './orders';
import type { Tenant } from './tenants';

/** As long as the encrypted payload of a request with three lines. */
const CIPHERTEXT_BYTES = 900;
const ROWS_PER_STATEMENT = 100_000;

/**
 * The organization that has `size` order requests, a twentieth of them pending. Their payloads cannot be decrypted: the
 * list does not read them. All are young enough that none expires while it is measured.
 */
export async function tenantWithOrderRequests(bench: Bench, size: Size): Promise<Tenant> {
  if (size === '10 million') throw new Skipped('order requests are seeded up to 1 million');
  const count = bench.quick ? Math.min(SIZES[size], 2_000) : SIZES[size];
  const tenant = await bench.tenants.get(`${bench.quick ? 'quick ' : ''}${size} order requests`);
  const [found] = await bench.rows<{ count: string }>(
    'SELECT count(*) FROM core.order_requests WHERE org_id = $1',
    tenant.orgId,
  );
  const present = Number(found?.count);
  for (let from = present; from < count; from += ROWS_PER_STATEMENT)
    await insertRequests(bench, tenant, from, Math.min(from + ROWS_PER_STATEMENT, count));
  if (present < count) await bench.sql.query('VACUUM (ANALYZE) core.order_requests');
  return tenant;
}

/** Order requests with the numbers from `from` to before `to`, a second apart. */
async function insertRequests(bench: Bench, tenant: Tenant, from: number, to: number): Promise<void> {
  await bench.rows(
    `INSERT INTO core.order_requests (id, org_id, shop_id, source, external_reference, status, customer_name,
       search_text, lines_ciphertext, line_count, total_amount, payload_ciphertext, payload_digest, created_at, updated_at)
     SELECT webhooks.uuid_v7(), $1::uuid, ($2::uuid[])[1 + n % cardinality($2::uuid[])], 'bench', 'seed-' || n,
            CASE WHEN n % 20 = 0 THEN 'pending' WHEN n % 20 = 1 THEN 'rejected' ELSE 'approved' END, 'Kundin ' || n,
            'kundin ' || n || E'\\nseed-' || n, $3::bytea, 3, n % 20000 / 100.0, $3::bytea, $4::bytea, at, at
     FROM (SELECT n, now() - make_interval(secs => n) AS at FROM generate_series($5::int, $6::int - 1) n) numbered`,
    ...[tenant.orgId, tenant.shops.map(({ shopId }) => shopId)],
    ...[Buffer.alloc(CIPHERTEXT_BYTES, 1), Buffer.alloc(32, 1), from, to],
  );
}

/** Hands in `count` requests by the gateway, and answers the ids of all that are pending then. */
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

import { type HttpRequest, UNIQUE } from '@offizin/testkit/load/job';
import type { Bench, Block } from '../bench';
import type { Tenant } from '../seed/tenants';

/** The requests of the order rows: an upsert with three lines, and patches that each change their order. */
export const ITEMS = [1, 2, 3].map((qty) => ({
  name: `Artikel ${qty}`,
  qty,
  price: 4.95,
  p1_id: `P1-1000${qty}`,
}));

/** Orders that are written again and again; many more than callers, so that no two wait for one row. */
export const EXISTING_IDS: readonly string[] = Array.from({ length: 2_000 }, (_, n) => `existing-${n}`);

export function orderBody(tenant: Tenant, externalId: string, number = `A-${UNIQUE}`): object {
  return {
    shop_id: tenant.shops[0]?.shopId,
    external_id: externalId,
    order_number: number,
    items: ITEMS,
    customer_name: 'Erika Mustermann',
    customer_email: 'erika@example.org',
    address_street: 'Hauptstraße 1',
    address_city: 'Köln',
    address_postal_code: '50667',
  };
}

export function upsertRequests(bench: Bench, tenant: Tenant, externalIds: readonly string[]): HttpRequest[] {
  return externalIds.map((externalId) => bench.api(tenant, 'POST', '/orders', orderBody(tenant, externalId)));
}

/** New orders by upsert: what other writes are held against. */
export async function upsertBlock(bench: Bench, callers: number): Promise<Block> {
  const tenant = await bench.tenants.get('writes');
  return bench.gateway(upsertRequests(bench, tenant, [`new-${UNIQUE}`]), callers);
}

/** All existing orders become paid, then all pending again: walked in this order, every patch changes its order. */
export async function paymentPatches(bench: Bench, tenant: Tenant): Promise<HttpRequest[]> {
  const upserts = upsertRequests(bench, tenant, EXISTING_IDS);
  await bench.gateway(upserts, 64)({ count: upserts.length });
  const ids = await pendingOrderIds(bench, tenant, 'core');
  return moves(ids).map(({ id, to }) =>
    bench.api(tenant, 'PATCH', `/orders/${id}/status`, { payment_status: to }),
  );
}

export function moves(ids: readonly string[]): { id: string; to: string }[] {
  return ['paid', 'pending'].flatMap((to) => ids.map((id) => ({ id, to })));
}

/** The existing orders, all of them made pending: among the product's rows, or the raw ones. */
export async function pendingOrderIds(
  bench: Bench,
  { orgId }: Tenant,
  schema: 'core' | 'bench_raw',
): Promise<string[]> {
  const found = await bench.rows<{ id: string }>(
    `UPDATE ${schema}.orders SET payment_status = 'pending' WHERE org_id = $1 AND external_id LIKE 'existing-%'
     RETURNING id`,
    orgId,
  );
  return found.map(({ id }) => id);
}

/** A page of the order list, or of another list. */
export function listBlock(
  bench: Bench,
  tenant: Tenant,
  { callers, path = '/orders', query = '' }: { callers: number; path?: string; query?: string },
): Block {
  return bench.gateway([bench.api(tenant, 'GET', `${path}?limit=50${query}`)], callers);
}

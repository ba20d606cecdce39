import type { Bench } from '../bench';
import type { Tenant } from './tenants';

/** More than all rows together take. */
const AMPLE_STOCK = 500_000_000;

/** The ids of products that the tenant has plenty of, in its first shop. Every call fills the stock up again. */
export async function stockedProducts(
  bench: Bench,
  { orgId, shops }: Tenant,
  count: number,
): Promise<string[]> {
  const p1Ids = Array.from({ length: count }, (_, n) => `BENCH-STOCKED-${n}`);
  await bench.rows(
    `INSERT INTO catalog.products (p1_id, name, slug, description, category, price)
     SELECT p1_id, 'Vorrat', lower(p1_id), 'Beschreibung', 'Kategorie', 4.95 FROM unnest($1::text[]) AS p1_id
     ON CONFLICT DO NOTHING`,
    p1Ids,
  );
  await bench.rows(
    `INSERT INTO catalog.inventory (org_id, p1_id, slug, stock_quantity)
     SELECT $1::uuid, p1_id, lower(p1_id), $3 FROM unnest($2::text[]) AS p1_id
     ON CONFLICT (org_id, p1_id) DO UPDATE SET stock_quantity = excluded.stock_quantity`,
    orgId,
    p1Ids,
    AMPLE_STOCK,
  );
  await bench.rows(
    `INSERT INTO catalog.shop_products (org_id, shop_id, p1_id, attached, overrides)
     SELECT $1::uuid, $2::uuid, p1_id, true, '{}' FROM unnest($3::text[]) AS p1_id ON CONFLICT DO NOTHING`,
    orgId,
    shops[0]?.shopId,
    p1Ids,
  );
  return p1Ids;
}

import type { Bench } from '../bench';
import type { Tenant } from './tenants';

const PRODUCTS = 1_000;

/** An organization whose shops sell a thousand products, every fifth at a price of the shop's own. */
export async function tenantWithProducts(bench: Bench): Promise<Tenant> {
  const tenant = await bench.tenants.get('products');
  const { orgId, shops } = tenant;
  await bench.sql.query(
    `INSERT INTO catalog.products (p1_id, name, slug, description, category, price)
     SELECT 'BENCH-' || n, 'Produkt ' || n, 'bench-' || n, repeat('Beschreibung ', 20), 'Kategorie ' || n % 10, 4.95
     FROM generate_series(1, $1::int) n ON CONFLICT DO NOTHING`,
    [PRODUCTS],
  );
  await bench.sql.query(
    `INSERT INTO catalog.inventory (org_id, p1_id, slug, price, stock_quantity)
     SELECT $2::uuid, 'BENCH-' || n, 'bench-' || n, CASE WHEN n % 3 = 0 THEN 3.95 END, n
     FROM generate_series(1, $1::int) n ON CONFLICT DO NOTHING`,
    [PRODUCTS, orgId],
  );
  await bench.sql.query(
    `INSERT INTO catalog.shop_products (org_id, shop_id, p1_id, attached, overrides)
     SELECT $2::uuid, shop, 'BENCH-' || n, true,
            CASE WHEN n % 5 = 0 THEN '{"price": 2.5}'::jsonb ELSE '{}'::jsonb END
     FROM generate_series(1, $1::int) n CROSS JOIN unnest($3::uuid[]) shop ON CONFLICT DO NOTHING`,
    [PRODUCTS, orgId, shops.map(({ shopId }) => shopId)],
  );
  for (const table of ['products', 'inventory', 'shop_products']) {
    await bench.sql.query(`VACUUM (ANALYZE) catalog.${table}`);
  }
  return tenant;
}

/** More than all rows together take. */
const AMPLE_STOCK = 500_000_000;

/** The id of a product that the tenant has plenty of, in its first shop. Every call fills the stock up again. */
export async function stockedProduct(bench: Bench, { orgId, shops }: Tenant): Promise<string> {
  const p1Id = 'BENCH-STOCKED';
  await bench.rows(
    `INSERT INTO catalog.products (p1_id, name, slug, description, category, price)
     VALUES ($1, 'Vorrat', 'bench-stocked', 'Beschreibung', 'Kategorie', 4.95) ON CONFLICT DO NOTHING`,
    p1Id,
  );
  await bench.rows(
    `INSERT INTO catalog.inventory (org_id, p1_id, slug, stock_quantity) VALUES ($1::uuid, $2, 'bench-stocked', $3)
     ON CONFLICT (org_id, p1_id) DO UPDATE SET stock_quantity = excluded.stock_quantity`,
    ...[orgId, p1Id, AMPLE_STOCK],
  );
  await bench.rows(
    `INSERT INTO catalog.shop_products (org_id, shop_id, p1_id, attached, overrides)
     VALUES ($1::uuid, $2::uuid, $3, true, '{}') ON CONFLICT DO NOTHING`,
    ...[orgId, shops[0]?.shopId, p1Id],
  );
  return p1Id;
}

import type { Row } from '../row';
import { tenantWithProducts } from '../seed/products';

/** The list that a web shop shows: catalog values, the organization's over them, the shop's over those. */
const RAW_PAGE = {
  name: 'raw_products',
  text: `SELECT i.p1_id, coalesce(s.overrides->>'name', i.name, p.name) AS name, i.slug,
      coalesce(s.overrides->>'category', i.category, p.category) AS category,
      coalesce((s.overrides->>'price')::numeric, i.price, p.price)::float8 AS price, i.stock_quantity, s.shop_id,
      coalesce(i.thc, p.thc) AS thc, coalesce(i.cbd, p.cbd) AS cbd,
      coalesce((s.overrides->>'available')::boolean, i.available, p.available) AS available,
      (SELECT count(*) FROM catalog.shop_products WHERE org_id = $1::uuid AND shop_id = $2::uuid AND attached) AS total
    FROM catalog.shop_products s
    JOIN catalog.inventory i ON i.org_id = s.org_id AND i.p1_id = s.p1_id
    JOIN catalog.products p ON p.p1_id = s.p1_id
    WHERE s.org_id = $1::uuid AND s.shop_id = $2::uuid AND s.attached ORDER BY s.p1_id LIMIT 50`,
};

export const productRows: Row[] = [
  {
    name: 'product list of a shop, 50 of 1,000, 16 callers',
    unit: '/s',
    bar: { of: 'ratio', atLeast: 0.35 },
    against: 'page and exact total by one prepared statement, as JSON text',
    run: async (bench) => {
      const tenant = await tenantWithProducts(bench);
      const shopId = tenant.shops[0]?.shopId ?? '';
      const requests = [bench.api(tenant, 'GET', `/products?shop_id=${shopId}&limit=50`)];
      const raw = bench.statement(RAW_PAGE, [[tenant.orgId, shopId]], 16, true);
      return bench.alternate('perSecond', bench.gateway(requests, 16), raw);
    },
  },
];

import { UNIQUE } from '../load/job';
import type { Row } from '../row';
import { stockedProduct } from '../seed/products';
import { costRow, upsertBlock } from './cost-row';
import { paymentPatches } from './order-bodies';

/** Writes beside the review: stock and overrides of one product, fields of an order, prescriptions handed in directly. */
const CALLERS = 16;
const UPSERT = `order upsert new, ${CALLERS} callers`;

export const mainJobCatalogRows: Row[] = [
  costRow(
    `inventory adjust, one product, ${CALLERS} callers`,
    { against: UPSERT, atMost: 2 },
    async (bench) => {
      const tenant = await bench.tenants.get('stock');
      const p1_id = await stockedProduct(bench, tenant);
      const body = { p1_id, delta: 1, reason: 'received', reference: UNIQUE };
      const product = bench.gateway([bench.api(tenant, 'POST', '/inventory/adjust', body)], CALLERS);
      return { product, raw: await upsertBlock(bench, CALLERS) };
    },
  ),
  costRow(
    `product-overrides merge, one product, ${CALLERS} callers`,
    { against: UPSERT, atMost: 2 },
    async (bench) => {
      const tenant = await bench.tenants.get('stock');
      const shop_id = tenant.shops[0]?.shopId;
      const p1_id = await stockedProduct(bench, tenant);
      const shown = { shop_id, p1_id, overrides: { price: 4.5, note: UNIQUE }, mode: 'merge' };
      const requests = [bench.api(tenant, 'POST', '/shops/product-overrides', shown)];
      return { product: bench.gateway(requests, CALLERS), raw: await upsertBlock(bench, CALLERS) };
    },
  ),
  costRow(
    `order PUT, ${CALLERS} callers`,
    { against: 'order status patch, 64 callers', atMost: 3 },
    async (bench) => {
      const tenant = await bench.tenants.get('writes');
      const patches = await paymentPatches(bench, tenant);
      const puts = patches.map(({ path }) => {
        const id = path.split('/').at(-2) ?? '';
        return bench.api(tenant, 'PUT', `/orders/${id}`, { order_number: `B-${UNIQUE}` });
      });
      return { product: bench.gateway(puts, CALLERS), raw: bench.gateway(patches, 64) };
    },
  ),
  costRow(`prescription ingest, ${CALLERS} callers`, { against: UPSERT, atMost: 2 }, async (bench) => {
    const tenant = await bench.tenants.get('prescriptions');
    const body = {
      'Customer Email': 'erika@example.org',
      'Customer First Name': 'Erika',
      'Customer Last Name': 'Mustermann',
      'Order Total Amount': 12.5,
      'External Id': UNIQUE,
      'Shop Id': tenant.shops[0]?.shopId,
      'Questionnaire Indication': 'x'.repeat(700),
      'Product 1 Service Product Id': 'P1-10001',
      'Product 1 Quantity': 1,
      'Product 1 Price': 12.5,
    };
    const requests = [bench.api(tenant, 'POST', '/prescriptions/ingest', body)];
    return { product: bench.gateway(requests, CALLERS), raw: await upsertBlock(bench, CALLERS) };
  }),
];

import { UNIQUE } from '@offizin/testkit/load/job';
import { alternating, atMost, type Row } from '../row';
import { stockedProducts } from '../seed/products';
import { paymentPatches, upsertBlock } from './order-bodies';

/** Other writes: stock and overrides of one product, fields of an order, prescriptions handed in directly. */
const CALLERS = 16;

export const catalogRows: Row[] = [
  alternating(
    `inventory adjust, ${CALLERS} callers`,
    'costUs',
    { against: 'upsert', bar: atMost(1.5) },
    async (bench) => {
      const tenant = await bench.tenants.get('stock');
      const [p1_id] = await stockedProducts(bench, tenant, 1);
      const body = { p1_id, delta: 1, reason: 'received', reference: UNIQUE };
      const product = bench.gateway([bench.api(tenant, 'POST', '/inventory/adjust', body)], CALLERS);
      return { product, raw: await upsertBlock(bench, CALLERS) };
    },
  ),
  alternating(
    `product-overrides merge, ${CALLERS} callers`,
    'costUs',
    { against: 'upsert', bar: atMost(1.5) },
    async (bench) => {
      const tenant = await bench.tenants.get('stock');
      const shop_id = tenant.shops[0]?.shopId;
      const [p1_id] = await stockedProducts(bench, tenant, 1);
      const shown = { shop_id, p1_id, overrides: { price: 4.5, note: UNIQUE }, mode: 'merge' };
      const requests = [bench.api(tenant, 'POST', '/shops/product-overrides', shown)];
      return { product: bench.gateway(requests, CALLERS), raw: await upsertBlock(bench, CALLERS) };
    },
  ),
  alternating(
    `order PUT, ${CALLERS} callers`,
    'costUs',
    { against: 'patch by 64', bar: atMost(3) },
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
  alternating(
    `prescription ingest, ${CALLERS} callers`,
    'costUs',
    { against: 'upsert', bar: atMost(1.5) },
    async (bench) => {
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
    },
  ),
];

import { MAX_BATCH_MEMBERS } from '@offizin/contracts/calls/batches';
import type { Block } from '../bench';
import { UNIQUE } from '../load/job';
import type { Row } from '../row';
import { costRow, upsertBlock } from './cost-row';
import { ITEMS } from './order-bodies';

/** Many orders in one call, against one call for each. */
const CALLERS = 2;

/** Counts the orders, not the calls. */
const perOrder =
  (batches: Block): Block =>
  async (extent) => {
    const result = await batches(extent);
    const of = MAX_BATCH_MEMBERS;
    return { ...result, successes: result.successes * of, perSecond: result.perSecond * of };
  };

export const orderBatchRows: Row[] = [
  costRow(
    `order of a batch of ${MAX_BATCH_MEMBERS}, new, ${CALLERS} callers`,
    { against: 'order upsert new, 64 callers', atMost: 0.6 },
    async (bench) => {
      const tenant = await bench.tenants.get('writes');
      const orders = Array.from({ length: MAX_BATCH_MEMBERS }, (_, place) => ({
        shop_id: tenant.shops[0]?.shopId,
        external_id: `batch-${UNIQUE}-${place}`,
        order_number: `A-${place}`,
        items: ITEMS,
        customer_name: 'Erika Mustermann',
        customer_email: 'erika@example.org',
        address_street: 'Hauptstraße 1',
        address_city: 'Köln',
        address_postal_code: '50667',
      }));
      const batches = bench.gateway([bench.api(tenant, 'POST', '/orders/batch', { orders })], CALLERS);
      return { product: perOrder(batches), raw: await upsertBlock(bench, 64) };
    },
  ),
];

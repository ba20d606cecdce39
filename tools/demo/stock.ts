import type { DemoOrganization } from '../up/demo-file';
import type { OrganizationClient } from './organization-client';
import type { DemoProduct } from './products';

/** Products with less stock than their threshold. */
const LOW = new Map([
  ['DEMO-0007', 4],
  ['DEMO-0013', 12],
  ['DEMO-0019', 2],
  ['DEMO-0028', 6],
  ['DEMO-0041', 3],
]);
const LOW_THRESHOLD = 20;
const INITIAL_STOCK = 500;

/** Products that every demo organization has as soon as it is made. */
export const STOCKED_AT_ONCE = ['DEMO-0001', 'DEMO-0002', 'DEMO-0003', 'DEMO-0004', 'DEMO-0005'];

/** Adds products to the inventory and offers them in every shop. What is there already stays as it is. */
export async function stockProducts(
  client: OrganizationClient,
  { shops }: Pick<DemoOrganization, 'shops'>,
  products: readonly Pick<DemoProduct, 'p1_id'>[],
  signal?: AbortSignal,
): Promise<void> {
  for (const { p1_id } of products) {
    signal?.throwIfAborted();
    const low = LOW.get(p1_id);
    await client.post('/products/add-to-inventory', { p1_id, initial_stock: low ?? INITIAL_STOCK });
    if (low !== undefined) await client.put(`/products/${p1_id}`, { low_stock_threshold: LOW_THRESHOLD });
    for (const { shop_id } of shops) await client.post('/shops/attach-product', { shop_id, p1_id });
  }
}

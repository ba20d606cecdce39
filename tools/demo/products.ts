import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { Offizin } from '../../clients/typescript/src/client';
import type { DemoOrganization } from '../up/demo-file';

export const CATALOG_FILE = join(checkoutRoot, 'tools', 'demo', 'catalog.csv');

/** A product as prescriptions and requests name it. */
export interface DemoProduct {
  p1_id: string;
  name: string;
  category: string;
  price: number;
  thc: number | null;
  cbd: number | null;
  /** What one piece of its quantity is: a gram of flowers, else a pack. */
  unit: 'g' | 'Packung';
}

/** The catalog file's products, in its order. */
export function readProducts(): DemoProduct[] {
  const rows = parse<Record<string, string>>(readFileSync(CATALOG_FILE), { columns: true });
  return rows.map(({ p1_id = '', name = '', category = '', price, thc, cbd }) => ({
    p1_id,
    name,
    category,
    price: Number(price),
    thc: thc ? Number(thc) : null,
    cbd: cbd ? Number(cbd) : null,
    unit: name.startsWith('Cannabisblüten') ? 'g' : 'Packung',
  }));
}

/** `15 g`, `1 Packung`, `2 Packungen`. */
export function amountText(quantity: number, { unit }: Pick<DemoProduct, 'unit'>): string {
  return unit === 'g' ? `${quantity} g` : `${quantity} Packung${quantity === 1 ? '' : 'en'}`;
}

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

/** Adds products to the inventory and offers them in every shop. Present products stay as they are. */
export async function stockProducts(
  { products: offered }: Offizin,
  { shops }: Pick<DemoOrganization, 'shops'>,
  products: readonly Pick<DemoProduct, 'p1_id'>[],
  signal?: AbortSignal,
): Promise<void> {
  for (const { p1_id } of products) {
    signal?.throwIfAborted();
    const low = LOW.get(p1_id);
    await offered.addToInventory({ p1_id, initial_stock: low ?? INITIAL_STOCK });
    if (low !== undefined) await offered.update(p1_id, { low_stock_threshold: LOW_THRESHOLD });
    for (const { shop_id } of shops) await offered.attach({ shop_id, p1_id });
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { checkoutRoot } from '@offizin/local-stack/checkout';

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

import { fromCents, toCents } from '@offizin/contracts/calls/money';
import type { ProductUpdateBody } from '@offizin/contracts/products/products';
import type { InventoryItemRow, ProductRow } from '../db/entities';

/** The organization's own values of a product; null means the catalog's value. */
export type ProductValues = Pick<
  InventoryItemRow,
  | 'name'
  | 'slug'
  | 'description'
  | 'category'
  | 'thc'
  | 'cbd'
  | 'available'
  | 'low_stock_threshold'
  | 'pzn'
  | 'codes'
> & { price: number | null };

/** The given values that differ from the current ones. */
export function changedValues(
  present: ProductValues,
  given: ProductUpdateBody,
  catalogSlug: string,
): Partial<ProductValues> {
  const fallbacks: Partial<ProductValues> = { slug: catalogSlug, low_stock_threshold: 0 };
  const wanted = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [keyof ProductValues, unknown] => {
      const column = name as keyof ProductValues;
      if (value === null) return [column, fallbacks[column] ?? null];
      return [column, column === 'price' ? fromCents(toCents(Number(value))) : value];
    });
  return Object.fromEntries(wanted.filter(([column, value]) => !isSame(value, present[column])));
}

/** Codes have no order. */
function isSame(value: unknown, present: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(present)) return value === present;
  return value.length === present.length && value.every((one) => present.includes(one));
}

/** Whether the product had THC, its own or the catalog's, and would be shown without. */
export function removesThc(
  { thc, catalog_thc: ofCatalog }: Pick<ProductValues, 'thc'> & { catalog_thc: ProductRow['thc'] },
  change: Partial<ProductValues>,
): boolean {
  const shown = (own: number | null): number => own ?? ofCatalog ?? 0;
  return change.thc !== undefined && shown(thc) > 0 && shown(change.thc) === 0;
}

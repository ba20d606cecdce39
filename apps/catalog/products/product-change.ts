import { fromCents, toCents } from '@offizin/contracts/money';
import type { ProductUpdateBody } from '@offizin/contracts/products';

/** What an organization says of a product itself; null lets the catalog's value through. */
export interface ProductValues {
  name: string | null;
  slug: string;
  description: string | null;
  category: string | null;
  price: number | null;
  thc: number | null;
  cbd: number | null;
  available: boolean | null;
  low_stock_threshold: number;
}

/** Those of the given values that differ from the present ones, ready to be written; empty when nothing changes. */
export function changedValues(
  present: ProductValues,
  given: ProductUpdateBody,
  catalogSlug: string,
): Partial<ProductValues> {
  const wanted = {
    ...given,
    ...(given.slug === null && { slug: catalogSlug }),
    ...(given.low_stock_threshold === null && { low_stock_threshold: 0 }),
    ...(typeof given.price === 'number' && { price: fromCents(toCents(given.price)) }),
  };
  const changed = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && value !== present[name as keyof ProductValues],
  );
  return Object.fromEntries(changed);
}

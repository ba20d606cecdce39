import type { AssortmentProduct, LayeredPrice } from '@offizin/contracts/products/assortment';

/** As the API's description has it. */
export type Product = AssortmentProduct;

/** Each layer overlays the one before it. */
export const LAYERS = ['catalog', 'organization', 'shop'] as const;
export type Layer = (typeof LAYERS)[number];

type Layered<Value> = Readonly<Record<Layer, Value | null>>;

/** The layer whose value counts; null when none has one. */
export function sourceOf(values: Layered<unknown>): Layer | null {
  return LAYERS.findLast((layer) => values[layer] !== null) ?? null;
}

export function priceOf(price: LayeredPrice): number {
  return price.shop ?? price.organization ?? price.catalog;
}

/** Per cent of THC and CBD are no matter of a shop. */
export const FIELDS = ['name', 'category', 'price', 'available', 'thc', 'cbd'] as const;
export type Field = (typeof FIELDS)[number];

export function layeredOf(
  { catalog, organization, shop }: Pick<Product, Layer>,
  field: Field | 'description',
): Layered<string | number | boolean> {
  return {
    catalog: catalog[field] ?? null,
    organization: organization[field] ?? null,
    shop: field === 'thc' || field === 'cbd' ? null : shop[field],
  };
}

import type {
  AssortmentProduct,
  LayeredPrice,
  OwnProductLayer,
  ProductLayer,
} from '@offizin/contracts/products/assortment';

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

export const FIELDS = ['name', 'category', 'price', 'available', 'thc', 'cbd', 'pzn', 'codes'] as const;
export type Field = (typeof FIELDS)[number];
/** The values of the organization that a shop may override, and those that it may not. */
export type Values = ProductLayer & Partial<OwnProductLayer>;

export function layeredOf(
  { catalog, organization, shop }: Pick<Product, Layer>,
  field: Field | 'description',
): Layered<string | number | boolean> {
  const { codes, ...others } = catalog;
  return {
    // The catalog has a list for each product; without codes it states nothing.
    catalog: shownValue({ ...others, codes: codes?.length === 0 ? null : codes }, field),
    organization: shownValue(organization, field),
    shop: shownValue(shop, field),
  };
}

function shownValue(layer: Values, field: Field | 'description'): string | number | boolean | null {
  if (field === 'codes') return layer.codes?.join(', ') ?? null;
  return layer[field] ?? null;
}

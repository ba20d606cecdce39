import { readAddress, withoutUndefined } from '../lists/address';

/** What the address of the products screen holds: the shop, filter, and the product that is open. */
export interface ProductSearch {
  shop?: string;
  q?: string;
  attached?: 'true' | 'false';
  id?: string;
  /** Id of a saved view. */
  view?: string;
}

/** The part of the address that the server filters by, in the contract's names. */
export type ProductFilters = ReturnType<typeof filtersOf>;

const KNOWN = { shop: null, q: null, id: null, view: null, attached: ['true', 'false'] } as const;

export function readProductSearch(search: Readonly<Record<string, unknown>>): ProductSearch {
  return readAddress(search, KNOWN);
}

export function filtersOf({ q, attached }: ProductSearch) {
  return withoutUndefined({ q, attached: attached && attached === 'true' });
}

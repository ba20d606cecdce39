import { readAddress, withoutUndefined } from '../lists/address';

/** What the address of the stock screen holds: filter and the product that is open. */
export interface StockSearch {
  q?: string;
  low?: 'true';
  id?: string;
  /** Id of a saved view. */
  view?: string;
}

/** The part of the address that the server filters by, in the contract's names. */
export type StockFilters = ReturnType<typeof filtersOf>;

const KNOWN = { q: null, low: ['true'], id: null, view: null } as const;

export function readStockSearch(search: Readonly<Record<string, unknown>>): StockSearch {
  return readAddress(search, KNOWN);
}

export function filtersOf({ q, low }: StockSearch) {
  return withoutUndefined({ q, low_stock: low && true });
}

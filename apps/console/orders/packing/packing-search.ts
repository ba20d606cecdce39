import { readAddress } from '../../lists/address';

/** What the address of the packing station holds: whose orders, and the one that is being packed. */
export interface PackingSearch {
  shop?: string;
  id?: string;
}

export function readPackingSearch(search: Readonly<Record<string, unknown>>): PackingSearch {
  return readAddress(search, { shop: null, id: null });
}

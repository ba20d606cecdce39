import { readAddress } from '../lists/address';

/** What the address of the recall holds: a lot, and the catalog product id that it is of. */
export interface RecallSearch {
  lot?: string;
  product?: string;
}

export function readRecallSearch(search: Readonly<Record<string, unknown>>): RecallSearch {
  return readAddress(search, { lot: null, product: null });
}

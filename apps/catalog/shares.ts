import { adjustInventory } from '@offizin/contracts/inventory';
import type { Operation } from '@offizin/contracts/operation';
import { getProduct, listProducts, listShops, overrideProduct } from '@offizin/contracts/products';
import { CallShares, type CheapCalls } from '@offizin/operations/call-shares';

const CHEAP: CheapCalls = new Map<Operation, string[]>([
  // Without other parameters this is the first page, which is coalesced.
  [listProducts, ['shop_id', 'limit']],
  [getProduct, ['shop_id']],
  [listShops, []],
  [adjustInventory, []],
  [overrideProduct, []],
]);

export function catalogShares(databasePool: number): CallShares {
  return new CallShares({ databasePool, cheap: CHEAP });
}

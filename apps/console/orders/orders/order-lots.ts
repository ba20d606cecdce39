import type { OrderLot } from '@offizin/contracts/orders/lots';

/** What tells the packs of one lot from those of another. */
export type LotOfPacks = Pick<OrderLot, 'lot' | 'expires_on' | 'test_number'>;

export function isSameLot(one: LotOfPacks, other: LotOfPacks): boolean {
  return (
    one.lot === other.lot && one.expires_on === other.expires_on && one.test_number === other.test_number
  );
}

export function isSameLots(some: readonly OrderLot[], others: readonly OrderLot[]): boolean {
  const isSame = (one: OrderLot, at: number) => {
    const other = others[at];
    const isOfLine = one.line === other?.line && one.p1_id === other.p1_id && one.name === other.name;
    return other !== undefined && isOfLine && one.quantity === other.quantity && isSameLot(one, other);
  };
  return some.length === others.length && some.every(isSame);
}

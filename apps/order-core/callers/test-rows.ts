import type { Caller } from '@offizin/contracts/calls/caller';

/** Of a list: people see a test shop only when they choose it. `false` leaves its rows out, undefined does not. */
export function testRowsFor({ kind }: Pick<Caller, 'kind'>, shopId: string | undefined): false | undefined {
  return kind === 'staff' && shopId === undefined ? false : undefined;
}

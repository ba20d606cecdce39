import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import type { Database } from '@offizin/pg/database';
import type { LineRule } from '../../orders/orders/order-writes';
import { type JudgedLine, needsTwoPeople } from './four-eyes';
import { fourEyesOf } from './four-eyes.store';
import type { ProductChecks } from '../intake/product-checks';

/**
 * While two people approve requests, one person does not write what two would have to approve into an order, by upsert,
 * PUT, batch or import (decision 0047). Under the rule `all` the lines are looked at as under `controlled`: an order is
 * not a request. Keys are not people: an order of an integrator has its own source.
 */
export class AddedLines implements LineRule {
  constructor(
    private readonly database: Database,
    readonly products: Pick<ProductChecks, 'productsOf'>,
  ) {}

  /** Throws `Refused` (second_approval_needed), or `Unreachable` when only the catalog could tell. */
  readonly check: LineRule['check'] = async (caller, { shopId, items }, stored) => {
    const rule = await fourEyesOf(this.database, caller.orgId);
    if (!rule) return;
    const before = await stored();
    const left = new Map<string, number>();
    for (const line of before?.items ?? [])
      left.set(keyOf(line), (left.get(keyOf(line)) ?? 0) + line.quantity);
    const added = items.filter((line) => {
      const rest = (left.get(keyOf(line)) ?? 0) - line.quantity;
      left.set(keyOf(line), rest);
      return rest < 0;
    });
    if (added.length === 0) return;
    const ids = added.flatMap(({ p1_id: id }) => id ?? []);
    const products = await this.products.productsOf(caller, ids, shopId ?? before?.shop_id);
    if (!products) {
      throw new Unreachable(
        'service_unavailable',
        'The catalog does not answer, so nobody knows whether two people must approve these lines.',
      );
    }
    if (!needsTwoPeople({ ...rule, four_eyes: 'controlled' }, [added], products)) return;
    throw new Refused(
      'second_approval_needed',
      'Two people must approve such lines, so one person does not write them into an order. Let two people approve an order request, or an owner switches two-person approval off in the review rules.',
    );
  };
}

const keyOf = ({ p1_id: id, name }: JudgedLine): string => JSON.stringify([id, name]);

import { invalid, Refused } from '@offizin/contracts/calls/errors';
import type { Call } from '@offizin/contracts/calls/operation';
import { testMark } from '@offizin/contracts/calls/test-mark';
import type { OrderDetail } from '@offizin/contracts/orders/orders';
import { readEntityTags, tagsOfIfMatch, versionOfTag } from '@offizin/operations/entity-tags';
import { parcelsAsRead } from '../parcels/parcel';
import { lotsAsRead } from './order-lots';
import { DEFAULT_WORKFLOW, nextStatuses } from './order-status';
import type { OrderRow } from './order-row';

export function orderDetail(row: OrderRow): OrderDetail {
  return {
    id: row.id,
    external_id: row.external_id,
    status: row.status,
    shop_id: row.shop_id,
    customer_name: row.customer_name,
    total_amount: row.total_amount,
    total_is_given: row.total_is_given,
    payment_status: row.payment_status,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    erased_at: row.erased_at?.toISOString() ?? null,
    ...testMark(row.is_test),
    customer_email: row.customer_email,
    payment_reference: row.payment_reference,
    shipped: row.shipped,
    picked_up: row.picked_up,
    cash_on_pickup: row.cash_on_pickup,
    shipping_address: {
      street: row.address_street,
      city: row.address_city,
      postal_code: row.address_postal_code,
      phone: row.address_phone,
    },
    items: row.items,
    order_number: row.order_number,
    order_datetime: row.order_datetime?.toISOString() ?? null,
    shipping_option: row.shipping_option,
    order_request_id: row.order_request_id,
    stock: row.stock ?? 'none',
    next_statuses: nextStatuses(row.workflow ?? DEFAULT_WORKFLOW, row.status),
    parcels: parcelsAsRead(row.parcels),
    lots: lotsAsRead(row),
    metadata: row.metadata,
  };
}

/** ETag: the version, which rises by one with every change. */
export function orderTag(row: Pick<OrderRow, 'sequence'>): string {
  return `"${row.sequence}"`;
}

/** The versions that If-Match names; null when the header is absent or `*`. Throws `Refused` for a malformed one. */
export function versionsIn(ifMatch: string | undefined): number[] | null {
  if (ifMatch === undefined) return null;
  const tags = tagsOfIfMatch(ifMatch);
  if (tags === '*') return null;
  return tags.map(versionOfTag).filter((version) => version !== null);
}

/** Throws `Refused` (precondition_failed) when the order is of none of these versions. */
export function requireVersion(wanted: readonly number[] | null, sequence: number): void {
  if (wanted === null || wanted.includes(sequence)) return;
  const message =
    wanted.length === 0
      ? 'If-Match names no version of an order: send the ETag as it was read, such as "3".'
      : 'The order has changed since: read it again and repeat with its new ETag.';
  throw new Refused('precondition_failed', message);
}

/** Throws `Refused` (precondition_failed) for a stored order, or null for none, that the caller does not want to write. */
export type Precondition = (stored: Pick<OrderRow, 'sequence'> | null) => void;

/** If-Match and If-None-Match of an upsert; undefined without them. Throws `Refused` for malformed ones. */
export function preconditionOf(headers: Call<unknown>['headers']): Precondition | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  const versions = versionsIn(ifMatch);
  if (ifNoneMatch !== undefined && readEntityTags(ifNoneMatch) !== '*')
    throw invalid([{ field: 'If-None-Match', message: 'must be *: the order is only created' }]);
  return (stored) => {
    if (ifMatch !== undefined) {
      const message = 'The order does not exist: leave If-Match out to create it.';
      if (!stored) throw new Refused('precondition_failed', message);
      requireVersion(versions, stored.sequence);
    }
    if (ifNoneMatch === undefined || !stored) return;
    const message = 'The order exists already: leave If-None-Match out to update it.';
    throw new Refused('precondition_failed', message);
  };
}

import type { ReviewRow } from '@offizin/contracts/review';
import { cents, type CsvColumn } from '../csv/csv';

/** Part of the contract: append, never rename or reorder. */
export function reviewColumns(shops: ReadonlyMap<string, string>): CsvColumn<ReviewRow>[] {
  return [
    ['order_request_id', ({ id }) => id],
    ['status', ({ status }) => status],
    ['shop_id', ({ shop_id }) => shop_id],
    ['shop_name', ({ shop_id }) => shops.get(shop_id) ?? null],
    ['source', ({ source }) => source],
    ['external_reference', ({ external_reference }) => external_reference],
    ['customer_name', ({ customer_name }) => customer_name],
    ['lines', ({ lines_text }) => lines_text],
    ['line_count', ({ line_count }) => line_count],
    ['total_amount', ({ total_amount }) => cents(total_amount)],
    ['shipping_option', ({ shipping_option }) => shipping_option],
    ['flags', ({ flags }) => flags.join(' ')],
    ['version', ({ version }) => version],
    ['first_approval_by', ({ first_approval }) => first_approval?.by ?? null],
    ['first_approval_at', ({ first_approval }) => first_approval?.at ?? null],
    ['order_id', ({ order_id }) => order_id],
    ['created_at', ({ created_at }) => created_at],
    ['updated_at', ({ updated_at }) => updated_at],
    ['expires_at', ({ expires_at }) => expires_at],
  ];
}

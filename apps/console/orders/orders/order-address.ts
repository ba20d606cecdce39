import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';

/** The rows of the address, as on an envelope. */
export function addressOf({ customer_name, shipping_address: to }: PipelineOrder): string[] {
  const place = [to.postal_code, to.city].filter(Boolean).join(' ');
  return [customer_name, to.street, place].filter((row): row is string => row !== null && row !== '');
}

import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { readableName } from '../../text/customer-name';

/** The rows of the address, as on an envelope. */
export function addressOf({ customer_name, shipping_address: to }: PipelineOrder): string[] {
  const place = [to.postal_code, to.city].filter(Boolean).join(' ');
  return [customer_name, to.street, place].map(readableName).filter((row) => row !== null);
}

import type { OrderStatus, PaymentStatus } from '@offizin/contracts/orders/orders';

type Tone = 'plain' | 'info' | 'warn' | 'danger';

/** Only an order that waits for the pharmacy or for its payment has a colour. */
export function toneOfStatus(status: OrderStatus): Tone {
  if (status === 'pending' || status === 'awaiting_packing') return 'info';
  return status === 'awaiting_payment' ? 'warn' : 'plain';
}

export function toneOfPayment(payment: PaymentStatus): Tone {
  if (payment === 'failed') return 'danger';
  return payment === 'pending' ? 'warn' : 'plain';
}

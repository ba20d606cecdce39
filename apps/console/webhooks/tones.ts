import type { DeliveryStatus } from '@offizin/contracts/webhooks';

export const TONES: Readonly<Record<DeliveryStatus, 'plain' | 'info' | 'warn' | 'danger'>> = {
  pending: 'info',
  succeeded: 'plain',
  failed: 'danger',
  cancelled: 'warn',
};

import type { WebhookStats } from '@offizin/contracts/webhooks/webhook-health';
import type { Webhook } from './webhooks.calls';

/** `off`: the service switched it off; `paused`: a person did. */
export type WebhookState = 'failing' | 'active' | 'paused' | 'off';

export function stateOf({
  is_active: isActive,
  disabled_reason: reason,
  failing_since: failing,
}: Webhook): WebhookState {
  if (!isActive) return reason === null ? 'paused' : 'off';
  return failing === null ? 'active' : 'failing';
}

/** Of all attempts, in per cent; null without attempts. A failure is never rounded away. */
export function failedShare({
  delivered,
  failed,
}: Pick<WebhookStats, 'delivered' | 'failed'>): number | null {
  const all = delivered + failed;
  if (all === 0) return null;
  return failed === 0
    ? 0
    : Math.max(1, Math.min(failed === all ? 100 : 99, Math.round((failed / all) * 100)));
}

import type { WebhookSubscription } from '@offizin/contracts/webhooks';
import type { SubscriptionRecord } from './subscriptions.store';

type ShownState = Pick<
  WebhookSubscription,
  'disabled_reason' | 'disabled_at' | 'failing_since' | 'previous_secret_until' | 'created_at' | 'updated_at'
>;

/** What the owner of a webhook and the owner of a callback are shown alike. */
export function shownState(record: SubscriptionRecord): ShownState {
  return {
    disabled_reason: record.disabled_reason,
    disabled_at: record.disabled_at?.toISOString() ?? null,
    failing_since: record.failing_since?.toISOString() ?? null,
    previous_secret_until: record.previous_secret_until?.toISOString() ?? null,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}

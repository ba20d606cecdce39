import { invalid } from '@offizin/contracts/calls/errors';
import type { EventType } from '@offizin/contracts/webhooks/events';
import type {
  WebhookCreateBody,
  WebhookSubscription,
  WebhookUpdateBody,
} from '@offizin/contracts/webhooks/webhooks';
import { checkTargetUrl, type TargetPolicy } from '@offizin/egress/address-policy';
import { withIsoTimes } from '@offizin/pg/queries';
import type { SubscriptionRecord, SubscriptionSettings } from './subscriptions.store';

/** Both secrets sign for this time after a rotation. See docs/contract.md#events-and-webhooks */
export const ROTATION_OVERLAP_HOURS = 24;

/** Settings of a new subscription. Throws `Refused` (invalid_request) that names the field. */
export function newSettings(body: WebhookCreateBody, policy: TargetPolicy): SubscriptionSettings {
  return {
    url: checkedUrl(body.url, policy),
    event_types: checkedTypes(body.event_types ?? null),
    description: body.description ?? null,
    is_active: body.is_active ?? true,
    rate_per_second: body.rate_per_second ?? null,
  };
}

/** `null` clears a setting, a missing one stays. Throws like newSettings. */
export function changedSettings(
  present: SubscriptionSettings,
  body: WebhookUpdateBody,
  policy: TargetPolicy,
): SubscriptionSettings {
  return {
    url: body.url === undefined ? present.url : checkedUrl(body.url, policy),
    event_types: body.event_types === undefined ? present.event_types : checkedTypes(body.event_types),
    description: body.description === undefined ? present.description : body.description,
    is_active: body.is_active ?? present.is_active,
    rate_per_second: body.rate_per_second === undefined ? present.rate_per_second : body.rate_per_second,
  };
}

/** Throws like newSettings. */
export function checkedUrl(url: string, policy: TargetPolicy): string {
  const check = checkTargetUrl(url, policy);
  if (!check.ok) throw invalid([{ field: 'url', message: check.reason }]);
  return url;
}

/** Refuses an empty list: it could mean no kinds or all kinds. */
function checkedTypes(types: EventType[] | null): EventType[] | null {
  if (types?.length === 0) {
    throw invalid([
      { field: 'event_types', message: 'must name a kind of event, or be null for every kind' },
    ]);
  }
  return types && [...new Set(types)];
}

type ShownState = Pick<
  WebhookSubscription,
  'disabled_reason' | 'disabled_at' | 'failing_since' | 'previous_secret_until' | 'created_at' | 'updated_at'
>;

/** The state that webhooks and callbacks have in common. */
export function shownState(record: SubscriptionRecord): ShownState {
  const { disabled_reason, disabled_at, failing_since, previous_secret_until, created_at, updated_at } =
    record;
  const times = { disabled_at, failing_since, previous_secret_until, created_at, updated_at };
  return withIsoTimes({ disabled_reason, ...times });
}

import type { EventType } from '@offizin/contracts/webhooks/events';
import type { WebhookCreateBody, WebhookUpdateBody } from '@offizin/contracts/webhooks/webhooks';
import type { Webhook } from './webhooks.calls';

/** The fields of an endpoint as typed. */
export interface EndpointDraft {
  url: string;
  description: string;
  /** Null: every kind. */
  kinds: readonly EventType[] | null;
  /** Deliveries per second; '' for no limit. */
  rate: string;
}

export const EMPTY_DRAFT: EndpointDraft = { url: '', description: '', kinds: null, rate: '' };
/** As in the contract. */
const MAX_RATE = 1000;

export function draftOf({
  url,
  description,
  event_types: kinds,
  rate_per_second: rate,
}: Webhook): EndpointDraft {
  return { url, description: description ?? '', kinds, rate: rate === null ? '' : String(rate) };
}

export function isRate(rate: string): boolean {
  const typed = rate.trim();
  return typed === '' || (/^\d{1,4}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= MAX_RATE);
}

/** An endpoint without an address, or for no kind of event, is of no use. */
export function isComplete({ url, kinds, rate }: EndpointDraft): boolean {
  return url.trim() !== '' && kinds?.length !== 0 && isRate(rate);
}

export function bodyOf({ url, description, kinds, rate }: EndpointDraft): WebhookCreateBody {
  return {
    url: url.trim(),
    description: description.trim() || null,
    event_types: kinds && [...kinds],
    rate_per_second: rate.trim() === '' ? null : Number(rate),
  };
}

/** Only what is another value: a colleague may change the other fields meanwhile. */
export function changeOf(draft: EndpointDraft, webhook: Webhook): WebhookUpdateBody {
  const before = new Map(
    Object.entries(bodyOf(draftOf(webhook))).map(([name, value]) => [name, keyOf(value)]),
  );
  return Object.fromEntries(
    Object.entries(bodyOf(draft)).filter(([name, value]) => keyOf(value) !== before.get(name)),
  );
}

/** Kinds in another order are the same kinds. */
function keyOf(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.map(String).sort() : value);
}

import { Int, Money, Nested, OneOf, Text } from '../calls/fields';
import { MAX_BODY_BYTES, operation } from '../calls/operation';
import { Described } from '../calls/schema';
import { MAX_ORDER_ITEMS, SHIPPING_OPTIONS, type ShippingOption, UpsertItem } from '../orders/orders';
import { withDetail } from './order-request-review';
import { CONNECTOR_PATH, ORDER_REQUESTS_PATH, OrderRequestResponse } from './order-requests';

/** Other lines that the pharmacist offers for a request, and the answer of its sender. */

export const USUAL_OFFER_HOURS = 72;
export const MAX_OFFER_HOURS = 336;

@Described('The lines that the pharmacist offers in place of those that were sent')
export class OfferBody {
  @Int({ minimum: 1, description: 'The reviewed version; 409 when there is a newer one' }) version!: number;
  @Nested(() => UpsertItem, {
    list: { minItems: 1, maxItems: MAX_ORDER_ITEMS },
    description: 'All lines of the offer, as in an approval. Lines say qty here',
  })
  items!: UpsertItem[];
  @Money({ optional: true, description: 'Total in EUR. Left out: the sum of the lines' })
  total_amount?: number;
  @OneOf(SHIPPING_OPTIONS, { optional: true, description: "Left out: the partner's" })
  shipping_option?: ShippingOption;
  @Text({
    optional: true,
    minLength: 1,
    maxLength: 10_000,
    description: 'Shown to the partner as question; left out: one general sentence',
  })
  question?: string;
  @Int({
    optional: true,
    minimum: 1,
    maximum: MAX_OFFER_HOURS,
    default: USUAL_OFFER_HOURS,
    description: 'Hours until the offer expires, at the latest with the request',
  })
  valid_hours: number = USUAL_OFFER_HOURS;
}

@Described('Answer to the offer of the pharmacist')
export class OfferMessageBody {
  @Text({
    optional: true,
    nullable: true,
    format: 'uuid',
    description:
      'The offer that is meant; 409 when the present one is another. Null or left out: the present one',
  })
  offer_id?: string | null;
  @Text({
    optional: true,
    nullable: true,
    maxLength: 10_000,
    description: 'For the pharmacy; no health data',
  })
  message?: string | null;
}

export const offerLines = operation({
  ...withDetail,
  name: 'order-requests.offer',
  summary: 'Offer other lines; the sender accepts or declines them',
  refuses: ['already_decided', 'conflict'],
  access: 'order_requests.review',
  method: 'POST',
  path: `${ORDER_REQUESTS_PATH}/{requestId}/offer`,
  body: OfferBody,
});

const answering = {
  service: 'order-core',
  refuses: ['already_decided', 'offer_expired', 'conflict'],
  method: 'POST',
  body: OfferMessageBody,
  reply: OrderRequestResponse,
} as const;
const ofDirectRequest = { ...answering, access: 'order_requests.write' } as const;

export const acceptOffer = operation({
  ...ofDirectRequest,
  name: 'order-requests.accept-offer',
  summary: 'Accept the offer for a request that was handed in directly: its lines become the next version',
  path: `${ORDER_REQUESTS_PATH}/{requestId}/offer/accept`,
});

export const declineOffer = operation({
  ...ofDirectRequest,
  name: 'order-requests.decline-offer',
  summary:
    'Decline the offer for a request that was handed in directly: it waits for a decision as it was sent',
  path: `${ORDER_REQUESTS_PATH}/{requestId}/offer/decline`,
});

const onShopDomain = {
  ...answering,
  via: 'http',
  maxBodyBytes: MAX_BODY_BYTES,
  access: 'connector',
} as const;

export const acceptExternalOffer = operation({
  ...onShopDomain,
  name: 'order-requests.accept-offer-external',
  summary: 'Accept the offer of the pharmacist: its lines become the next version of the request',
  path: `${CONNECTOR_PATH}/{requestId}/offer/accept`,
});

export const declineExternalOffer = operation({
  ...onShopDomain,
  name: 'order-requests.decline-offer-external',
  summary: 'Decline the offer of the pharmacist: the request waits for a decision as it was sent',
  path: `${CONNECTOR_PATH}/{requestId}/offer/decline`,
});

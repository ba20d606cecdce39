import type { DtoClass } from '@offizin/contracts/calls/operation';
import type { JsonSchema } from '@offizin/contracts/calls/schema';
import { CALLBACK_EXAMPLES, WEBHOOK_EXAMPLES } from './examples/webhooks';
import {
  CHANGED_AT,
  CREATED_AT,
  CUSTOMER,
  DELIVERY_ID,
  EVENT_ID,
  type Example,
  KEY_ID,
  HOLD_ID,
  LINE,
  LOT,
  ORDER_ID,
  ORG_ID,
  PARCEL_ID,
  PERIOD,
  PRESCRIPTION_ID,
  REFERENCE,
  REQUEST_ID,
  SHOP_ID,
  WEBHOOK_ID,
} from './examples/example';
import { REQUEST_EXAMPLES } from './examples/order-requests';
import { ORDER_EXAMPLES } from './examples/orders';
import { ORGANIZATION_EXAMPLES } from './examples/organization';
import { PRODUCT_EXAMPLES } from './examples/products';
import { REPORT_EXAMPLES } from './examples/reports';

/**
 * Examples of the bodies and answers of the published description; those of events are in event-descriptions.ts.
 * tools/openapi/schemas.spec.ts holds each to its schema, and verification/stories/operations/operations-input.e2e.spec.ts sends the bodies.
 */
const ALL: readonly Example[] = [
  ...ORDER_EXAMPLES,
  ...REQUEST_EXAMPLES,
  ...CALLBACK_EXAMPLES,
  ...PRODUCT_EXAMPLES,
  ...REPORT_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
  ...ORGANIZATION_EXAMPLES,
];
const BY_CLASS = new Map(ALL.map(({ dto, value }) => [dto, value]));

/** The `example` of a media type; nothing for a class without one, as those of the console. */
export function exampleOf(dto: DtoClass<object>): { example?: object } {
  const value = BY_CLASS.get(dto);
  return value === undefined ? {} : { example: value };
}

/** Texts by the name of their parameter. */
const PARAMETER_EXAMPLES: Readonly<Record<string, string>> = {
  orgId: ORG_ID,
  orderId: ORDER_ID,
  parcelId: PARCEL_ID,
  holdId: HOLD_ID,
  requestId: REQUEST_ID,
  number: '1',
  p1Id: LINE.p1_id,
  shopId: SHOP_ID,
  shop_id: SHOP_ID,
  webhookId: WEBHOOK_ID,
  deliveryId: DELIVERY_ID,
  keyId: KEY_ID,
  prescriptionId: PRESCRIPTION_ID,
  external_id: 'erp-1001',
  external_reference: REFERENCE,
  source: 'telemedicine-platform',
  customer_email: CUSTOMER.customer_email,
  category: 'Tee',
  q: 'Linde',
  code: '03752864',
  lot: LOT.lot,
  p1_id: LINE.p1_id,
  action: 'order-request.approve',
  object: `order-request:${REQUEST_ID}`,
  actor: `key:${KEY_ID}`,
  after: EVENT_ID,
  cursor: Buffer.from(`shops:${SHOP_ID}`).toString('base64url'),
};

/** The `example` of a parameter: its own, its default, its first value, or one that fits its name or type. */
export function exampleOfParameter(name: string, schema: Readonly<JsonSchema> = {}): { example: unknown } {
  const { examples, enum: values, default: fallback, type, format } = schema;
  const isEnd = /(?:^|_)to$/.test(name);
  const byFormat = format === 'date-time' ? (isEnd ? CHANGED_AT : CREATED_AT) : undefined;
  const byDay = format === 'date' ? PERIOD[isEnd ? 'to' : 'from'] : undefined;
  const byType = type === 'boolean' ? true : (schema['minimum'] ?? undefined);
  const [own] = (examples ?? values ?? []) as unknown[];
  const example = fallback ?? own ?? byFormat ?? byDay ?? PARAMETER_EXAMPLES[name] ?? byType;
  if (example === undefined) throw new Error(`The parameter ${name} has no example.`);
  return { example };
}

/** All of them. */
export function namedExamples(): readonly Example[] {
  return ALL;
}

import type { DtoClass } from '@offizin/contracts/calls/operation';
import { CALLBACK_EXAMPLES, WEBHOOK_EXAMPLES } from './examples/webhooks';
import type { Example } from './examples/example';
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

/** All of them. */
export function namedExamples(): readonly Example[] {
  return ALL;
}

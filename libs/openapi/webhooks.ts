import { CallbackEvent } from '@offizin/contracts/requests/callbacks';
import { describedEventTypes, metadataSchemaOf } from '@offizin/contracts/webhooks/event-descriptions';
import { type EventType, WebhookEvent } from '@offizin/contracts/webhooks/events';
import { exampleOf } from './examples';
import { DELIVERY_ID } from './examples/example';
import type { JsonObject, SchemaCollection } from './schemas';
import type { WebhookEventType } from '@offizin/contracts/webhooks/event-feed';

/** Requests to subscribers, one POST per event, of which only the metadata differ between kinds; and to callbacks. */

const HEADERS: Readonly<Record<string, { description: string; example: string; schema: JsonObject }>> = {
  'X-Service-Event': {
    description: 'Kind of the event',
    example: 'order_created',
    schema: { type: 'string' },
  },
  'X-Service-Delivery-Id': {
    description:
      'The same for every attempt of one delivery: a receiver that has processed it only answers 2xx',
    example: DELIVERY_ID,
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Service-Signature': {
    description:
      '`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the bytes of the secret as text',
    example: `sha256=${'5d'.repeat(32)}`,
    schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
  },
  'webhook-id': {
    description: 'Standard Webhooks: equal to X-Service-Delivery-Id',
    example: DELIVERY_ID,
    schema: { type: 'string', format: 'uuid' },
  },
  'webhook-timestamp': {
    description: 'Standard Webhooks: seconds since 1970 at which this attempt was signed',
    example: '1772439330',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'webhook-signature': {
    description:
      'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the decoded secret; two ' +
      'with a space between while a rotation overlaps',
    example: `v1,${'Q'.repeat(43)}=`,
    schema: { type: 'string' },
  },
};

export const deliveryParameters: JsonObject = Object.fromEntries(
  Object.entries(HEADERS).map(([name, header]) => [
    componentName(name),
    { name, in: 'header', required: true, ...header },
  ]),
);

export function webhooks(schemas: SchemaCollection): JsonObject {
  const requests: JsonObject = Object.fromEntries(
    describedEventTypes().map((kind) => [kind.event_type, { post: delivery(kind, schemas) }]),
  );
  return { ...requests, callback: { post: callback(schemas) } };
}

function delivery(kind: WebhookEventType, schemas: SchemaCollection): JsonObject {
  return {
    operationId: `receive.${kind.event_type}`,
    summary: kind.description,
    tags: ['events'],
    ...request({ schema: bodyOf(kind.event_type, schemas), example: kind.example }, 'the subscription'),
  };
}

function callback(schemas: SchemaCollection): JsonObject {
  const schema = schemas.reference(CallbackEvent, 'reply');
  return {
    operationId: 'receive.callback',
    summary: "An order request of the partner, or its order, changed; sent to the partner's callback",
    tags: ['external-order'],
    ...request({ schema, ...exampleOf(CallbackEvent) }, 'the callback'),
  };
}

function request(body: JsonObject, ended: string): JsonObject {
  return {
    security: [],
    parameters: Object.keys(deliveryParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': body } },
    responses: {
      '2XX': { description: 'Accepted; answer within 15 s' },
      '410': { description: `Ends ${ended}` },
      default: { description: 'Retried for about three days; Retry-After on 429 and 503 is honoured' },
    },
  };
}

function bodyOf(type: EventType, schemas: SchemaCollection): JsonObject {
  const own = {
    event_type: { const: type, description: 'Kind of the event' },
    metadata: metadataSchemaOf(type),
  };
  return { allOf: [schemas.reference(WebhookEvent, 'reply'), { type: 'object', properties: own }] };
}

function componentName(header: string): string {
  return header.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

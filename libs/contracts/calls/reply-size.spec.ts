import { describedEventTypes } from '../webhooks/event-descriptions';
import { MAX_REPLY_BYTES, type Operation } from './operation';
import { operations } from '../operations';
import { MAX_LOTS_BYTES } from '../orders/lots';
import { MAX_ORDER_BYTES } from '../orders/orders';
import { MAX_STOCK } from '../products/products';
import { fieldsOf, type JsonSchema } from './schema';

/**
 * Every reply over the bus fits a message: the size of the largest legal reply is computed from the DTO classes.
 */

/** JSON escapes a control character to six bytes: `\u0001`. No character takes more. */
const BYTES_OF_CHARACTER = 6;
/** `-1.7976931348623157e+308` and quotes. */
const BYTES_OF_NUMBER = 26;
/** A key of metadata with quotes, colon and comma. */
const MAX_KEY_BYTES = 40 + '"":,'.length;

/** 16 KiB as JSON (overrides.ts); PostgreSQL writes 5e-324 with 326 digits. */
const MAX_OVERRIDES = (16 * 1024 * 330) / '5e-324,'.length;

/** Objects with free keys, limited by a handler, and lists limited by the bytes of a page. */
const LIMITED_BY_RULE: Record<string, number> = {
  'ShopProductResponse.overrides': MAX_OVERRIDES,
  'Product.overrides': MAX_OVERRIDES,
  'WorkflowResponse.transitions': 8 * 8 * 30,
  'WebhookEventTypeListResponse.data': Buffer.byteLength(JSON.stringify(describedEventTypes())),
  // Pages end at 900,000 bytes: libs/operations/cursor-pages.ts, and feed.store.ts for the feed.
  'WebhookListResponse.data': 900_000,
  'WebhookDeliveryDetail.attempts': 900_000,
  'EventFeedResponse.data': 900_000,
  'LotOrderListResponse.data': 900_000,
  // An event names ids and states; the longest text in one is an external id or a product's id.
  'WebhookEvent.metadata': 20_000,
  // Names of fields are cut (truncate.ts), and what the checks say about them is ours.
  'OrderBatchResult.message': 1_000,
  'OrderStatusBatchResult.message': 1_000,
  'InventoryAdjustBatchResult.message': 1_000,
  'OrderBatchResult.details': 3 * 900,
  'OrderStatusBatchResult.details': 3 * 900,
  'InventoryAdjustBatchResult.details': 3 * 900,
  // Checked before the commit: order-patch.ts.
  'OrderDetail.items': MAX_ORDER_BYTES,
  // order-lots.ts.
  'OrderDetail.lots': MAX_LOTS_BYTES,
  'OrderLots.lots': MAX_LOTS_BYTES,
  'ProofOrder.lots': MAX_LOTS_BYTES,
};

function largest(dto: new () => object): number {
  return [...fieldsOf(dto)].reduce((bytes, [name, { schema }]) => {
    const value = LIMITED_BY_RULE[`${dto.name}.${name}`] ?? largestValue(schema, `${dto.name}.${name}`);
    return bytes + name.length + '"":,'.length + value;
  }, '{}'.length);
}

function largestValue(schema: JsonSchema, where: string): number {
  if (schema.$ref) return largest(schema.$ref());
  if (schema.anyOf) return Math.max(...schema.anyOf.map((one) => largestValue(one, where)));
  if (schema.enum) return Math.max(...schema.enum.map((value) => JSON.stringify(value).length));
  const types = [schema.type ?? []].flat();
  return Math.max(...types.map((type) => largestOfType(type, schema, where)));
}

function largestOfType(type: string, schema: JsonSchema, where: string): number {
  if (type === 'null' || type === 'boolean') return 'false'.length;
  if (type === 'integer' || type === 'number') return BYTES_OF_NUMBER;
  if (type === 'string') return '""'.length + largestText(schema, where);
  if (type === 'array' && schema.items) {
    return (largestValue(schema.items, where) + 1) * numberOf(schema, 'maxItems', where);
  }
  const values = schema['additionalProperties'] as JsonSchema | boolean | undefined;
  if (type === 'object' && typeof values === 'object') {
    const one = MAX_KEY_BYTES + largestValue(values, where);
    return one * numberOf(schema, 'maxProperties', where);
  }
  throw new Error(`the size of ${where} is not limited`);
}

function largestText(schema: JsonSchema, where: string): number {
  if (schema['format'] === 'uuid') return 36;
  if (schema['format'] === 'date-time' || schema['format'] === 'date') return 30;
  return numberOf(schema, 'maxLength', where) * BYTES_OF_CHARACTER;
}

function numberOf(schema: JsonSchema, keyword: string, where: string): number {
  const value = schema[keyword];
  if (typeof value !== 'number') throw new Error(`${where} has no ${keyword}`);
  return value;
}

/**
 * Internal operations are excluded: the sender of an import or a hold limits its size. A larger reply to a GET over HTTP
 * is asked for again there.
 */
const isForCallers = ({ access, via, smallOverBus, method, reply }: Operation): boolean =>
  (via === 'bus' || (smallOverBus && method !== 'GET')) &&
  access !== 'internal' &&
  typeof reply === 'function';

it.each(operations.filter(isForCallers).map((op) => [op.name, op] as const))(
  'the largest legal reply of %s fits a message of the bus',
  (_name, { reply }) => {
    if (typeof reply !== 'function') throw new Error('no JSON reply');
    expect(largest(reply)).toBeLessThan(MAX_REPLY_BYTES);
  },
);

it('counts the values of a reply', () => {
  expect(MAX_STOCK.toString().length).toBeLessThan(BYTES_OF_NUMBER);
  const control = JSON.stringify({ name: '\u0001'.repeat(255) }).length;
  expect(control).toBe('{"name":""}'.length + 255 * BYTES_OF_CHARACTER);
});

import { openApiDocument } from '@offizin/openapi/document';

/**
 * "Schema names equal the names used in this document": the contract lists the names below, or says them as words
 * ("Order upsert body"), which become one word. Callers generate their types from them, so none may change.
 */
const NAMES_OF_THE_CONTRACT = [
  // Resources and their fields
  'OrderSummary OrderDetail OrderItem OrderUpsertBody UpsertItem OrderStatusPatchBody Shop Product',
  'AddToInventoryRequest Attach Detach Overrides OffsetPagination PagePagination',
  'OrderRequestEnvelope OrderRequestPayload OrderRequestLineItem OrderRequestResponse',
  'PrescriptionIngestRequest ErrorBody',
  // Other named resources
  'Prescription PrescriptionListResponse InventoryRow InventoryListResponse InventoryAdjustRequest',
  'InventoryAdjustResponse InventoryLogEntry ReportStatsResponse ReportPrescriptionStats ReportTopCustomer',
  'ReportProductPerformanceResponse ReportProductPerformanceRow',
  'ReportProductSalesResponse ReportProductSalesRow ReportProductSalesStatusRow',
  'ReportServiceResponse ReportServiceRow TokenResponse',
  // Events
  'WebhookEvent',
].flatMap((line) => line.split(' '));

const document = openApiDocument() as {
  components: { schemas: Record<string, { properties: Record<string, unknown> }> };
  paths: Record<string, Record<string, { requestBody?: unknown; responses?: Record<string, unknown> }>>;
};
const { schemas } = document.components;
const names = Object.keys(schemas);

it.each(NAMES_OF_THE_CONTRACT)('%s is the name of a schema', (name) => {
  expect(names).toContain(name);
});

it('what is answered ends with Response, what is sent with Request or Body, never with Reply', () => {
  expect(names.filter((name) => /Reply|Answer|Dto$/.test(name))).toEqual([]);
  const referred = (within: unknown): string[] =>
    [...JSON.stringify(within ?? null).matchAll(/schemas\/(\w+)/g)].map(([, name = '']) => name);
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const sent = new Set(operations.flatMap(({ requestBody }) => referred(requestBody)));
  const answered = new Set(operations.flatMap(({ responses }) => referred(responses)));
  expect([...sent].filter((name) => name.endsWith('Response'))).toEqual([]);
  expect([...answered].filter((name) => name.endsWith('Request'))).toEqual([]);
});

it.each([
  ['AddToInventoryRequest', 'p1_id initial_stock price'],
  ['Attach', 'shop_id p1_id overrides mode'],
  ['Detach', 'shop_id p1_id'],
  ['Overrides', 'shop_id p1_id overrides mode'],
  ['InventoryAdjustResponse', 'status id'],
  ['OffsetPagination', 'limit offset total'],
  ['PagePagination', 'page pageSize total totalPages'],
  ['OrderRequestResponse', 'id status message external_reference'],
  ['WebhookEvent', 'id org_id event_type title description metadata created_at'],
  ['ErrorBody', 'error message'],
])('%s has the fields that the contract shows', (name, fields) => {
  expect(Object.keys(schemas[name]?.properties ?? {})).toEqual(expect.arrayContaining(fields.split(' ')));
});

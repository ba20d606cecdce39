import { BY_NAME } from '@offizin/contracts/calls/sentences';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { openApiDocument } from '@offizin/openapi/document';
import { namedExamples } from '@offizin/openapi/examples';

/**
 * The schemas of the published description: every body, answer and refusal shows an example that fits, everything has a
 * sentence, and the names are those of the contract.
 */
type Json = Record<string, unknown>;

interface MediaType {
  where: string;
  pointer: string;
  value: Json;
}

const document = openApiDocument();
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
ajv.addSchema({ $id: 'openapi', ...document });
const shown = [...mediaTypes(document, '')];

it('shows an example of every JSON body and answer', () => {
  expect(shown.length).toBeGreaterThan(130);
  const silent = shown.filter(({ value }) => !('example' in value) && !('examples' in value));
  expect(silent.map(({ where }) => where)).toEqual([]);
});

it('answers with every property that may be there', () => {
  const { schemas } = document['components'] as { schemas: Record<string, Json> };
  // No example is of a test shop.
  const lacking = shown
    .filter(({ pointer }) => pointer.includes('/responses/200/') || pointer.includes('/responses/201/'))
    .flatMap(({ where, value }) => {
      const name = String((value['schema'] as Json)['$ref'])
        .split('/')
        .pop();
      const { properties } = schemas[name ?? ''] as { properties: Json };
      const example = value['example'] as Json;
      return Object.keys(properties)
        .filter((property) => property !== 'test' && !(property in example))
        .filter((property) => !MAY_LACK.has(`${name}.${property}`))
        .map((property) => `${where} lacks ${property}`);
    });
  expect(lacking).toEqual([]);
});

it('has no example that the description does not show', () => {
  const text = JSON.stringify(document);
  const unused = namedExamples().filter(({ value }) => !text.includes(JSON.stringify(value)));
  expect(unused.map(({ dto }) => dto.name)).toEqual([]);
});

/** Only in the answer about a broken chain. */
const MAY_LACK = new Set(['AuditVerifyResponse.first_broken_position']);

/** `application/json` and forms, at every depth; what a schema only names is not looked into. */
function* mediaTypes(within: unknown, pointer: string): Generator<MediaType> {
  if (typeof within !== 'object' || within === null) return;
  for (const [key, value] of Object.entries(within)) {
    if (key === 'schemas') continue;
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const isOurs = pointer.endsWith('/content') && (key.endsWith('json') || key.endsWith('urlencoded'));
    if (isOurs) yield { where: at.replaceAll('~1', '/'), pointer: encodeURI(at), value: value as Json };
    else yield* mediaTypes(value, at);
  }
}

/** A schema, property, parameter or header; each has a sentence. */
interface Described {
  pointer: string;
  name: string;
  value: Json;
}

const all = [...describedIn(document, '')];

it('describes everything', () => {
  expect(all.length).toBeGreaterThan(700);
  expect(all.filter(({ value }) => !isSentence(value['description'])).map(({ pointer }) => pointer)).toEqual(
    [],
  );
});

it('shows an example of every parameter that its schema takes', () => {
  const parameters = all.filter(({ value }) => 'in' in value && 'schema' in value);
  expect(parameters.length).toBeGreaterThan(130);
  const wrong = parameters.filter(
    ({ value }) => value['example'] === undefined || !ajv.validate(value['schema'] as Json, value['example']),
  );
  expect(wrong.map(({ pointer }) => pointer)).toEqual([]);
});

it('states more than the name', () => {
  const words = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const repeating = all.filter(({ name, value }) => words(String(value['description'])) === words(name));
  expect(repeating.map(({ pointer }) => pointer)).toEqual([]);
});

it('speaks of null for none only where null is allowed', () => {
  const wrong = all.filter(
    ({ value }) => String(value['description']).includes('null for none') && !allowsNull(value),
  );
  expect(wrong.map(({ pointer }) => pointer)).toEqual([]);
});

it('states what null means wherever an answer may hold it', () => {
  const { schemas } = document['components'] as { schemas: Record<string, Json> };
  // Only requests say what further keys are.
  const answers = Object.entries(schemas).filter(([, schema]) => !('additionalProperties' in schema));
  const silent = answers.flatMap(([name, { properties }]) =>
    Object.entries(properties as Record<string, Json>)
      .filter(([, value]) => allowsNull(value) && !/\bnull\b/i.test(String(value['description'])))
      .map(([field]) => `${name}.${field}`),
  );
  expect(silent).toEqual([]);
});

it('has no shared sentence that describes nothing', () => {
  const used = all.map(({ value }) => String(value['description']));
  expect(Object.values(BY_NAME).filter((sentence) => !used.some((one) => one.startsWith(sentence)))).toEqual(
    [],
  );
});

it('finds a property without a sentence', () => {
  const nameless = {
    schemas: { Order: { description: 'An order', properties: { id: { type: 'string' } } } },
  };
  const found = [...describedIn({ components: nameless }, '')];
  expect(
    found.filter(({ value }) => !isSentence(value['description'])).map(({ pointer }) => pointer),
  ).toEqual(['/components/schemas/Order/properties/id']);
});

function isSentence(text: unknown): boolean {
  return typeof text === 'string' && /^[A-Z0-9`"]?.{3}/.test(text) && text === text.trim();
}

function allowsNull({ type, anyOf }: Json): boolean {
  const types = Array.isArray(type) ? (type as unknown[]) : [];
  const ways = Array.isArray(anyOf) ? (anyOf as Json[]) : [];
  return types.includes('null') || ways.some((one) => one['type'] === 'null');
}

/** Schemas by name, properties at every depth, parameters and headers; references are described at their target. */
function* describedIn(within: unknown, pointer: string): Generator<Described> {
  if (typeof within !== 'object' || within === null) return;
  for (const [key, value] of Object.entries(within)) {
    // An example is data, also where it looks like a schema.
    if (/^examples?$|^default$/.test(key) && !pointer.endsWith('/properties')) continue;
    const at = `${pointer}/${key}`;
    const isNamed = /\/properties$|\/components\/(?:schemas|parameters|headers)$/.test(pointer);
    if (isNamed) yield { pointer: at, name: key, value: value as Json };
    else if (isInline(pointer, value)) yield { pointer: at, name: String(value['name']), value };
    yield* describedIn(value, at);
  }
}

function isInline(pointer: string, value: unknown): value is Json {
  return pointer.endsWith('/parameters') && typeof value === 'object' && value !== null && 'name' in value;
}

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

const description = openApiDocument() as {
  components: { schemas: Record<string, { properties: Record<string, unknown> }> };
  paths: Record<string, Record<string, { requestBody?: unknown; responses?: Record<string, unknown> }>>;
};
const { schemas } = description.components;
const names = Object.keys(schemas);

it.each(NAMES_OF_THE_CONTRACT)('%s is the name of a schema', (name) => {
  expect(names).toContain(name);
});

it('what is answered ends with Response, what is sent with Request or Body, never with Reply', () => {
  expect(names.filter((name) => /Reply|Answer|Dto$/.test(name))).toEqual([]);
  const referred = (within: unknown): string[] =>
    [...JSON.stringify(within ?? null).matchAll(/schemas\/(\w+)/g)].map(([, name = '']) => name);
  const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
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

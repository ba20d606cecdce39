import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { openApiDocument } from '@offizin/openapi/document';
import { namedExamples } from '@offizin/openapi/examples';

/** Every body, answer and refusal of the published description shows an example, and each fits its schema. */
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

it('shows none that its schema refuses', () => {
  const wrong = shown.flatMap(({ where, pointer, value }) => {
    const validate = ajv.getSchema(`openapi#${pointer}/schema`);
    return valuesOf(value).flatMap((example) =>
      validate?.(example) === true ? [] : [`${where}: ${ajv.errorsText(validate?.errors)}`],
    );
  });
  expect(wrong).toEqual([]);
});

it('answers with every property that may be there', () => {
  const { schemas } = document['components'] as { schemas: Record<string, Json> };
  const lacking = shown
    .filter(({ pointer }) => pointer.includes('/responses/200/') || pointer.includes('/responses/201/'))
    .flatMap(({ where, value }) => {
      const name = String((value['schema'] as Json)['$ref'])
        .split('/')
        .pop();
      const { properties } = schemas[name ?? ''] as { properties: Json };
      const example = value['example'] as Json;
      return Object.keys(properties)
        .filter((property) => !(property in example) && !MAY_LACK.has(`${name}.${property}`))
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

function valuesOf({ example, examples }: Json): unknown[] {
  if (example !== undefined) return [example];
  return Object.values((examples ?? {}) as Record<string, Json>).map(({ value }) => value);
}

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

import { BY_NAME } from '@offizin/contracts/sentences';
import { openApiDocument } from '@offizin/openapi/document';

/** Every schema, property, parameter and header of the description has a sentence. */
type Json = Record<string, unknown>;

interface Described {
  pointer: string;
  name: string;
  value: Json;
}

const published = openApiDocument();
const all = [...describedIn(published, '')];

it('describes everything', () => {
  expect(all.length).toBeGreaterThan(700);
  expect(all.filter(({ value }) => !isSentence(value['description'])).map(({ pointer }) => pointer)).toEqual(
    [],
  );
});

it('says more than the name', () => {
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

it('says what null means wherever an answer may hold it', () => {
  const { schemas } = published['components'] as { schemas: Record<string, Json> };
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

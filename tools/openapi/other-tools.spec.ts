import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { openApiDocument, openApiYaml } from '@offizin/openapi/document';
import { CLIENT_ROUTES, CLIENT_TYPES, clientRoutes, generatedTypes } from './generated-client';

/** The description is one that every tool can read, and what it shows as an example is one. */
type Json = Record<string, unknown>;

const document = openApiDocument();

describe('Redocly, with its recommended rules', () => {
  interface Problem {
    ruleId: string;
    severity: string;
    message: string;
    location: { pointer: string }[];
  }

  const schema = { $ref: '#/components/schemas/NoSuchSchema' };
  const ok = { description: 'Done', content: { 'application/json': { schema } } };
  const DANGLING = {
    openapi: '3.1.1',
    info: { title: 'A description that does not pass', version: '1.0.0' },
    paths: { '/things': { get: { operationId: 'things.list', responses: { 200: ok } } } },
  };

  const LOTS = '/api/v2/public/orgs/{orgId}/lots';
  const [HOLD, ORDERS_OF_LOT] = [`${LOTS}/holds/{holdId}`, `${LOTS}/{lot}/orders`];

  function lint(file: string): { problems: Problem[] } {
    const program = join(checkoutRoot, 'node_modules/@redocly/cli/bin/cli.js');
    const run = spawnSync(process.execPath, [program, 'lint', file, '--format=json', '--max-problems=1000'], {
      encoding: 'utf8',
      // It asks no other host.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    const start = run.stdout.indexOf('{');
    if (start < 0) throw new Error(`redocly ended with ${run.status}: ${run.stderr}`);
    return JSON.parse(run.stdout.slice(start)) as ReturnType<typeof lint>;
  }

  it('finds no error, and no warning but of two paths that take different methods', () => {
    const { problems } = lint(join(checkoutRoot, 'docs/openapi/external-api.yaml'));
    expect(problems.map(({ ruleId, message }) => [ruleId, message.split(': ').at(-1)])).toEqual([
      ['no-ambiguous-paths', `\`${HOLD}\` and \`${ORDERS_OF_LOT}\`.`],
    ]);
    const paths = document['paths'] as Record<string, Json>;
    const methodsOf = (path: string) => Object.keys(paths[path] ?? {}).filter((key) => key !== 'parameters');
    expect([methodsOf(HOLD), methodsOf(ORDERS_OF_LOT)]).toEqual([['delete'], ['get']]);
  });

  it('is the judge: a description with a dangling reference does not pass', () => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(DANGLING));
    const { problems } = lint(file);
    expect(problems.map(({ ruleId }) => ruleId)).toEqual(expect.arrayContaining(['no-unresolved-refs']));
  });
});

describe('examples', () => {
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema({ $id: 'openapi', ...document });
  const found = [...examplesIn(document, '')];

  it('are there: of errors, of events, of fields', () => {
    expect(found.filter(({ pointer }) => pointer.startsWith('/components/responses')).length).toBeGreaterThan(
      20,
    );
    expect(found.filter(({ pointer }) => pointer.startsWith('/webhooks')).length).toBeGreaterThan(15);
    expect(found.filter(({ pointer }) => pointer.startsWith('/components/schemas')).length).toBeGreaterThan(
      0,
    );
  });

  it.each(found)('$pointer fits its schema', ({ schemaPointer, value }) => {
    const validate = ajv.compile({ $ref: `openapi#${encodeURI(schemaPointer)}` });
    validate(value);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('that do not fit are found', () => {
    const [error] = found.filter(({ schemaPointer }) => schemaPointer.startsWith('/components/responses'));
    const validate = ajv.compile({ $ref: `openapi#${encodeURI(error?.schemaPointer ?? '')}` });
    expect(validate({ error: 'no_such_code' })).toBe(false);
  });
});

interface Example {
  pointer: string;
  schemaPointer: string;
  value: unknown;
}

/** Examples of media types and parameters (beside `schema`), those within schemas, and defaults, which are values, too. */
function* examplesIn(within: unknown, pointer: string): Generator<Example> {
  if (typeof within !== 'object' || within === null) return;
  const { schema, example, examples, default: fallback, type } = within as Json;
  if (schema !== undefined && /json$|urlencoded$/.test(pointer)) {
    const schemaPointer = `${pointer}/schema`;
    if (example !== undefined) yield { pointer: `${pointer}/example`, schemaPointer, value: example };
    for (const [name, one] of Object.entries((examples ?? {}) as Record<string, Json>))
      yield { pointer: `${pointer}/examples/${name}`, schemaPointer, value: one['value'] };
  } else if (type !== undefined) {
    const values = [
      ...(Array.isArray(examples) ? examples : []),
      ...(fallback === undefined ? [] : [fallback]),
    ];
    for (const value of values) yield { pointer, schemaPointer: pointer, value };
  }
  for (const [key, value] of Object.entries(within)) {
    // An example is data: what looks like a schema in it is none.
    if (key === 'example' || key === 'examples' || key === 'default') continue;
    yield* examplesIn(value, `${pointer}/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`);
  }
}

it.each([
  [CLIENT_TYPES, () => generatedTypes(openApiYaml())],
  [CLIENT_ROUTES, () => clientRoutes(openApiYaml())],
])('%s is what `npm run openapi` would write', (path, written) => {
  const committed = readFileSync(join(checkoutRoot, path), 'utf8');
  expect(committed === written()).toBe(true);
});

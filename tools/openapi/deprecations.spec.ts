import { join } from 'node:path';
import { QueryText, Text } from '@offizin/contracts/fields';
import { operation } from '@offizin/contracts/operation';
import { operationObject } from '@offizin/openapi/operations';
import { ResponseCollection } from '@offizin/openapi/responses';
import { SchemaCollection } from '@offizin/openapi/schemas';
import { stringify } from 'yaml';
import ts from 'typescript';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { CLIENT_ROUTES, clientRoutes } from './client-routes';
import { CLIENT_TYPES, generatedTypes } from './generated-types';

const deprecated = { since: '2027-01-01', sunset: '2028-01-31', link: 'https://offizin.example.com/changes' };
const END =
  'Deprecated since 2027-01-01, may be removed from 2028-01-31 on: https://offizin.example.com/changes';

const PUBLIC = '/api/v2/public/orgs/{orgId}';

class SpecQuery {
  @QueryText({ optional: true, description: 'Part of the name', deprecated }) old_word?: string;
  @QueryText({ optional: true, description: 'Part of the id' }) word?: string;
}
class SpecRow {
  @Text({ nullable: true, description: 'The name', deprecated }) old_name!: string | null;
  @Text({ description: 'The title' }) title!: string;
}
const common = { summary: 'For this spec', service: 'catalog', access: 'orders.read' } as const;
const get = { ...common, method: 'GET' } as const;
const parts = { query: SpecQuery, reply: SpecRow };
const ending = operation({ ...get, name: 'spec.get-old', path: `${PUBLIC}/old`, ...parts, deprecated });
const lasting = operation({ ...get, name: 'spec.get-new', path: `${PUBLIC}/new`, ...parts });

const schemas = new SchemaCollection();
const responses = new ResponseCollection(schemas);
const described = [ending, lasting].map((op) => operationObject(op, schemas, responses));

it('marks operation, parameter and field as deprecated, with the days in words', () => {
  const [old, lasts] = described;
  expect(old).toMatchObject({ deprecated: true, description: `Scope: \`orders.read\`.\n\n${END}` });
  expect(lasts).not.toHaveProperty('deprecated');
  expect(lasts?.['parameters']).toMatchObject([
    { name: 'orgId' },
    { name: 'old_word', deprecated: true, description: `Part of the name. ${END}` },
    { name: 'word', description: 'Part of the id' },
    {},
  ]);
  expect(schemas.all()['SpecRow']).toMatchObject({
    properties: {
      old_name: { deprecated: true, description: `The name; null for none. ${END}` },
      title: { description: 'The title' },
    },
  });
  expect(JSON.stringify([lasts, schemas.all()]).match(/"deprecated":/g)).toHaveLength(2);
});

describe('the client', () => {
  const description = stringify({
    openapi: '3.1.1',
    info: { title: 'Spec', version: '1' },
    paths: Object.fromEntries(
      [ending, lasting].map(({ path }, place) => [path, { get: withoutReferences(described[place]) }]),
    ),
    components: { schemas: schemas.all() },
  });
  const types = generatedTypes(description);

  it('has its types marked', () => {
    const marked = [...types.matchAll(/@deprecated(?:[^*]|\*(?!\/))*\*\/\s+(\w+)/g)];
    expect(marked.map(([, name]) => name)).toEqual(['get', 'old_name', 'old_word', 'old_word']);
  });

  it('has its methods marked', () => {
    const folder = join(checkoutRoot, 'clients/typescript/src');
    const use = join(folder, 'use.ts');
    const files: Record<string, string> = {
      [join(checkoutRoot, CLIENT_TYPES)]: types,
      [join(checkoutRoot, CLIENT_ROUTES)]: clientRoutes(description),
      [use]: `import type { Resources } from './resource-types';
        type Methods = Resources['spec'];
        export type Both = [Methods['getOld'], Methods['getNew']];`,
    };
    const module = ts.ModuleKind.Preserve;
    const options = { strict: true, module, lib: ['lib.es2022.d.ts'], types: [] };
    const disk = ts.createCompilerHost(options);
    const host: ts.CompilerHost = {
      ...disk,
      readFile: (path) => files[path] ?? disk.readFile(path),
      fileExists: (path) => path in files || disk.fileExists(path),
      getSourceFile: (path, version) =>
        files[path] === undefined
          ? disk.getSourceFile(path, version)
          : ts.createSourceFile(path, files[path], version),
    };
    const program = ts.createProgram([use], options, host);
    const checker = program.getTypeChecker();
    const alias = program.getSourceFile(use)?.statements.find(ts.isTypeAliasDeclaration);
    const methods = alias ? checker.getTypeAtLocation(alias.name).getProperties() : [];
    const marks = methods.map((method) => [
      method.name,
      method.getJsDocTags(checker).map(({ name, text }) => `${name} ${ts.displayPartsToString(text)}`),
    ]);
    expect(marks).toEqual([
      ['getOld', [`deprecated ${END}`]],
      ['getNew', []],
    ]);
  });
});

/** The headers and error answers of all operations are not in this description. */
function withoutReferences(op: unknown): unknown {
  const { parameters, ...rest } = op as { parameters: object[] };
  return { ...rest, parameters: parameters.filter((one) => !('$ref' in one)), responses: {} };
}

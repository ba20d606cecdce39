import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkoutRoot } from '@offizin/local-stack/checkout';

export const CLIENT_TYPES = 'clients/typescript/src/generated/api.d.ts';

/** Types of an OpenAPI description. The generator is an ES module with a command line; the latter is its stable side. */
export function generatedTypes(yaml: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-openapi-'));
  try {
    const [input, output] = [join(folder, 'api.yaml'), join(folder, 'api.d.ts')];
    writeFileSync(input, stringify(withoutExamples(withoutAnswers(parse(yaml) as Description))));
    const program = join(checkoutRoot, 'node_modules/openapi-typescript/bin/cli.js');
    const run = spawnSync(process.execPath, [program, input, '--default-non-nullable=false', '-o', output], {
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(`openapi-typescript failed: ${run.stderr}`);
    return shorter(readFileSync(output, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Comments without what the type states itself, each as short as it may be: they are half of the client's package. A tab for
 * four blanks takes a fourteenth less of it. Methods, parameters and bodies that a path does not have, headers but the ETag, and
 * examples are left out. A shared parameter is explained where it is declared, not at each operation.
 */
function shorter(types: string): string {
  return types
    .replaceAll(/^( {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4))
    .replaceAll(/^\t\t(?:get|put|post|delete|options|head|patch|trace)\?: never;\n/gm, '')
    .replaceAll(/^\t*(?:query|header|path|cookie|requestBody)\?: never;\n/gm, '')
    .replaceAll(/^\t*parameters: \{\n\t*\};\n/gm, '')
    .replaceAll(/^\t*"[\w-]+": components\["headers"\]\["\w+"\];\n/gm, '')
    .replaceAll(/^\s*\* @(?:enum \{[^}]*\}|constant|example [^\n]*)\n/gm, '')
    .replaceAll('* @description ', '* ')
    .replaceAll(/^\s*\/\*\*\n\s*\*\/\n/gm, '')
    .replaceAll(/\* Format: (\S+)\n\s*\* ([^\n]*)\n(?=\s*\*\/)/g, '* $2 ($1)\n')
    .replaceAll(/\/\*\*\n\s*\* ([^\n]*)\n\s*\*\//g, '/** $1 */')
    .replaceAll(/^\t*\/\*\* [^\n]* \*\/\n(?=\t*["\w-]+\??: components\["parameters"\])/gm, '');
}

/** The client sends no webhooks: of a delivery it needs the body only. */
function withoutAnswers({ webhooks, ...description }: Description): object {
  const deliveries = Object.entries(webhooks).map(([type, { post }]) => {
    const { operationId, requestBody } = post;
    return [type, { post: { operationId, requestBody, responses: {} } }];
  });
  return { ...description, webhooks: Object.fromEntries(deliveries) as object };
}

/** Without the examples of bodies: the types say what they show, and they would be a sixth of the client's package. */
function withoutExamples(within: unknown, isNames = false): unknown {
  if (Array.isArray(within)) return within.map((one) => withoutExamples(one));
  if (typeof within !== 'object' || within === null) return within;
  const kept = Object.entries(within).filter(([key]) => isNames || key !== 'example');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutExamples(value, key === 'properties')]));
}

export const CLIENT_ROUTES = 'clients/typescript/src/generated/routes.ts';

const PUBLIC = '/api/v2/public';

interface Description {
  webhooks: Record<string, { post: DescribedOperation }>;
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, { properties?: object }> };
}

interface DescribedOperation {
  operationId: string;
  parameters?: { name?: string; in?: string }[];
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
}

/** The table from which the client makes a method for each operation of an organization. */
export function clientRoutes(yaml: string): string {
  const { paths, components } = parse(yaml) as Description;
  const lines = Object.entries(paths)
    .filter(([path]) => path.startsWith(PUBLIC) && !path.endsWith('/auth/token'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const words = wordsOf(method.toUpperCase(), path.slice(PUBLIC.length), operation, components.schemas);
        return `  '${operation.operationId}': '${words.join(' ')}',`;
      }),
    );
  return `${HEAD}${lines.join('\n')}\n} as const;\n`;
}

function wordsOf(
  method: string,
  path: string,
  { parameters = [], requestBody, responses }: DescribedOperation,
  schemas: Description['components']['schemas'],
): string[] {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const answer = responses['200']?.content?.['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
  const fields = schemas[answer]?.properties ?? {};
  if ('data' in fields && 'pagination' in fields)
    return [query.some(({ name }) => name === 'after') ? 'FEED' : 'LIST', path];
  if (requestBody?.content['application/json']?.schema.$ref) return [method, path, 'body'];
  return query.length > 0 ? [method, path, 'query'] : [method, path];
}

const HEAD = `/**
 * Method and path of every operation of an organization, below \`${PUBLIC}\`. \`LIST\` is a GET that is read page by page,
 * \`FEED\` one that continues after an event; \`body\` or \`query\` says what the method takes after the id.
 * Generated by \`npm run openapi\`; do not change it by hand.
 */
export const ROUTES = {
`;

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { consoleDoorOperations } from '@offizin/contracts/operations';
import { accessOf } from '@offizin/contracts/operation';
import { isStaffScope } from '@offizin/contracts/scopes';
import { consoleApiDocument } from '@offizin/openapi/console-document';
import { PATH_PARAMETERS } from '@offizin/openapi/operations';
import { consoleApiYaml, openApiYaml } from '@offizin/openapi/yaml';

/** The description of the console's door. openapi.spec.ts checks what both descriptions have in common. */
interface OperationObject {
  operationId: string;
  security: Record<string, string[]>[];
  parameters: { in?: string; name?: string }[];
  responses: Record<string, unknown>;
}
const { paths } = consoleApiDocument() as { paths: Record<string, Record<string, OperationObject>> };
const byName = consoleDoorOperations.map((op) => [op.name, op] as const);

it('docs/openapi/console-api.yaml is what `npm run openapi` would write', () => {
  const committed = readFileSync(join(checkoutRoot, 'docs/openapi/console-api.yaml'), 'utf8');
  expect(committed === consoleApiYaml()).toBe(true);
});

it('describes every operation of the door and no other', () => {
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  );
  const expected = byName.map(([name, { method, path }]) => `${name} ${method.toLowerCase()} ${path}`);
  expect(described.sort()).toEqual(expected.sort());
});

it.each(byName)('%s asks for the session, the scope of the role and the proof of the page', (_, op) => {
  const described = paths[op.path]?.[op.method.toLowerCase()];
  const access = accessOf(op, true);
  const scopes = isStaffScope(access) ? [access] : [];
  expect(described?.security).toEqual([
    {
      ...(op.access !== 'anyone' && { Session: scopes }),
      ...(op.method !== 'GET' && { ConsolePage: [] }),
    },
  ]);
  const inPath = described?.parameters.filter((parameter) => parameter.in === 'path') ?? [];
  expect(inPath.every(({ name = '' }) => name in PATH_PARAMETERS)).toBe(true);
  if (op.method !== 'GET') expect(described?.responses).toHaveProperty('403');
});

it('is no part of the published description', () => {
  const ofConsoleOnly = byName.filter(([, { consoleOnly }]) => consoleOnly);
  const published = openApiYaml();
  expect(ofConsoleOnly.filter(([name]) => published.includes(`operationId: ${name}\n`))).toEqual([]);
});

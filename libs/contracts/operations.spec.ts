import { readdirSync } from 'node:fs';
import type { Operation } from './calls/operation';
import { allOperations, connectorOperations, operations, organizationOperations } from './operations';
import { fieldsOf } from './calls/schema';
import { isScope } from './people/scopes';

/** Exported operations that are not in the list have no route, no description and no tests. */
const definitions = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /^[a-z/-]+\.ts$/.test(file),
);
const exported: Operation[] = [];

beforeAll(async () => {
  for (const file of definitions) {
    const values = Object.values((await import(`./${file}`)) as Record<string, unknown>);
    exported.push(...values.filter(isOperation));
  }
});

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'access' in value && 'service' in value;
}

it('lists every operation that a file of this folder exports', () => {
  expect(exported.length).toBeGreaterThan(50);
  const missing = exported.filter((op) => !allOperations.includes(op)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`libs/contracts/operations.ts does not list ${missing.join(', ')}`);
});

it('lists each operation by its access: a scope, a connector key, or neither', () => {
  const named = (list: readonly Operation[]): string[] => list.map(({ name }) => name);
  expect(named(organizationOperations)).toEqual(named(operations.filter(({ access }) => isScope(access))));
  expect(named(connectorOperations)).toEqual(
    named(operations.filter(({ access }) => access === 'connector')),
  );
});

it('lists each name once', () => {
  const names = allOperations.map(({ name, service }) => `${service} ${name}`);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});

it('has advice for every search by text, should the database take too long', () => {
  const searches = allOperations.filter(({ query }) => query && fieldsOf(query).has('q'));
  expect(searches.length).toBeGreaterThan(5);
  expect(searches.filter(({ narrow }) => narrow === null).map(({ name }) => name)).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** A file that need not exist, and its text. `any-file` does not exist: the rules judge most imports as written. */
type Example = [file: string, text: string];

const IN_CONSOLE = 'apps/console/frame/example';
const IN_CONTRACTS = 'libs/contracts/example.ts';
const FIVE = 'a: number, b: number, c: number, d: number, e: number';

/** By the rule, and no other, that must refuse them. */
const WRONG: Record<string, Example[]> = {
  '@nx/enforce-module-boundaries': [
    [`${IN_CONSOLE}.ts`, "import '../../../clients/typescript/src/client';"],
    ['apps/gateway/example.ts', "import '../order-core/any-file';"],
    ['apps/gateway/example.ts', "import '../../libs/contracts/any-file';"],
    ['apps/gateway/example.ts', "import '@offizin/local-stack/any-file';"],
    ['apps/gateway/example.ts', "import '@offizin/pg/any-file';"],
    ['apps/gateway/example.ts', "import '@offizin/service/any-file';"],
    ['apps/gateway/example.ts', "import '@offizin/testkit/any-file';"],
    ['apps/catalog/products/products-fixture.ts', "import '@offizin/testkit/any-file';"],
    ['apps/connector-edge/example.ts', "import '@offizin/pg/any-file';"],
    ['apps/order-core/example.ts', "import '@offizin/openapi/any-file';"],
    ['apps/catalog/example.ts', "import '@offizin/egress/any-file';"],
    ['apps/webhook-worker/example.ts', "import '@offizin/http-edge/any-file';"],
    [`${IN_CONSOLE}.ts`, "import '@offizin/bus/any-file';"],
    ['apps/reference/search/example.ts', "import '@offizin/bus/any-file';"],
    ['libs/codes/example.ts', "import '@offizin/contracts/any-file';"],
    ['libs/contracts/example.ts', "import '@offizin/runtime/any-file';"],
    ['libs/runtime/example.ts', "import '@offizin/bus/any-file';"],
    ['libs/runtime/example.ts', "import '@offizin/testkit/any-file';"],
    ['libs/runtime/example.ts', "import '../../tools/any-file';"],
    ['libs/runtime/example.spec.ts', "import '@offizin/bus/any-file';"],
    ['libs/operations/example.ts', "import '@offizin/bus/any-file';"],
    ['libs/bus/example.ts', "import '@offizin/events/any-file';"],
    ['libs/bus/example.ts', "import '@offizin/pg/any-file';"],
    ['libs/pg/example.ts', "import '@offizin/bus/any-file';"],
    ['libs/egress/example.ts', "import '@offizin/pg/any-file';"],
    ['libs/directory/example.ts', "import '@offizin/pg/any-file';"],
    ['libs/http-body/example.ts', "import '@offizin/http-edge/any-file';"],
    ['libs/http-edge/example.ts', "import '@offizin/egress/any-file';"],
    ['libs/http-edge/example.ts', "import '../../apps/gateway/any-file';"],
    ['tools/local-stack/example.ts', "import '@offizin/pg/any-file';"],
    ['verification/kit/example.ts', "import '../../apps/gateway/any-file';"],
    ['verification/stories/orders/example.ts', "import '../../../apps/gateway/any-file';"],
  ],
  '@typescript-eslint/no-restricted-imports': [
    ['apps/gateway/example.ts', "import '@nestjs/common/exceptions';"],
    [
      'apps/gateway/example.ts',
      "import { forwardRef } from '@nestjs/common'; export const late = forwardRef;",
    ],
    ['apps/order-core/orders/orders/example.handlers.ts', "import 'typeorm';"],
    [
      'apps/order-core/orders/orders/example.store.ts',
      "import { Pool } from 'pg'; export const pool = new Pool();",
    ],
    ['apps/webhook-worker/deliveries/example.ts', "import 'undici';"],
    [`${IN_CONSOLE}.ts`, "import 'node:fs';"],
    [
      `${IN_CONSOLE}.ts`,
      "import { ROLES } from '@offizin/contracts/people/roles'; export const first = ROLES[0];",
    ],
    ['apps/reference/search/example.ts', "import 'node:fs';"],
    ['apps/reference/search/example.ts', "import '@offizin/openapi/document';"],
    ['clients/typescript/example.ts', "import '@offizin/contracts/any-file';"],
    ['libs/bus/example.ts', "import '@opentelemetry/api';"],
    ['libs/directory/example.ts', "import 'nats';"],
  ],
  'import-x/no-restricted-paths': [
    ['apps/console/controls/example.ts', "import '../requests/review/requests.calls';"],
    ['apps/order-core/orders/orders/example.ts', "import '../../reports/reports.handlers';"],
    ['apps/order-core/orders/orders/example.ts', "import '../../spec/spec-fixture';"],
    ['apps/catalog/products/example.ts', "import '../spec/spec-fixture';"],
    ['apps/webhook-worker/events/example.ts', "import '../spec/spec-fixture';"],
    ['apps/order-core/orders/counts/example.ts', "import '../orders/orders.store';"],
  ],
  'no-restricted-imports': [['apps/console/example.mjs', "import '../../tools/any-file.mjs';"]],
  // As the text of a real file: no-cycle reads the file that it imports, which imports it.
  'import-x/no-cycle': [
    [
      'verification/style/rule.ts',
      "import { sizeRules } from './size-rules'; export const all = (): unknown => sizeRules;",
    ],
  ],
  'no-restricted-syntax': [
    [IN_CONTRACTS, 'export const text = 1 as unknown as string;'],
    [IN_CONTRACTS, "export * from './money';"],
    [IN_CONTRACTS, "export { parseMoney } from './money';"],
    ['libs/runtime/example.spec.ts', "jest.mock('node:fs');"],
    ['libs/runtime/example.spec.ts', "import * as fs from 'node:fs'; jest.spyOn(fs, 'readFileSync');"],
    ['libs/runtime/example.spec.ts', "it.only('runs alone', () => expect(1).toBe(1));"],
    ['libs/runtime/example.spec.ts', "xit('does not run', () => expect(1).toBe(1));"],
    [IN_CONTRACTS, 'export const one = (a: number): unknown => ({ ...{ a } });'],
    [IN_CONTRACTS, 'export const both = (a: number, b: number): number[] => [...[a, b]];'],
    [IN_CONTRACTS, 'export type Both = [...[number, number]];'],
    [IN_CONTRACTS, `export const sum = (${FIVE}): number => a + b + c + d + e;`],
    [IN_CONTRACTS, `export function sum(${FIVE}): number { return a + b + c + d + e; }`],
    [IN_CONTRACTS, `export class Sum { of(${FIVE}): number { return a + b + c + d + e; } }`],
    [`${IN_CONSOLE}.tsx`, 'export const wrong = (a: object): unknown => <p {...{ a }} />;'],
    [`${IN_CONSOLE}.tsx`, 'export const wrong = (): unknown => <p>Saved</p>;'],
    [`${IN_CONSOLE}.tsx`, "export const wrong = (): unknown => <p>{'Saved'}</p>;"],
    [`${IN_CONSOLE}.tsx`, 'export const wrong = (): unknown => <nav aria-label="Areas" />;'],
  ],
  'no-restricted-globals': [
    ['apps/webhook-worker/deliveries/example.ts', "export const reply = fetch('https://example.org');"],
  ],
  '@typescript-eslint/no-explicit-any': [
    [IN_CONTRACTS, 'export const read = (value: any): string => typeof value;'],
  ],
  '@typescript-eslint/no-non-null-assertion': [
    [IN_CONTRACTS, 'export const first = (list: string[]): string => list[0]!;'],
  ],
  '@typescript-eslint/no-unsafe-member-access': [
    [IN_CONTRACTS, "export const names = [String(JSON.parse('{}').name)];"],
  ],
  '@typescript-eslint/no-floating-promises': [[IN_CONTRACTS, 'Promise.resolve(1);']],
  '@typescript-eslint/ban-ts-comment': [
    [IN_CONTRACTS, "// @ts-ignore\nexport const number: number = 'text';"],
  ],
  '@typescript-eslint/switch-exhaustiveness-check': [
    [
      IN_CONTRACTS,
      `export function next(status: 'pending' | 'approved'): string {
         switch (status) { case 'pending': return 'approved'; }
         return status;
       }`,
    ],
  ],
  'react-hooks/rules-of-hooks': [
    [
      `${IN_CONSOLE}.tsx`,
      `import { useId } from 'react';
       export function Wrong({ isNamed }: { isNamed: boolean }) {
         if (!isNamed) return null;
         return <p id={useId()} />;
       }`,
    ],
  ],
  'max-lines': [[IN_CONTRACTS, lines(401, (line) => `export const value${line} = ${line};`)]],
  'max-lines-per-function': [
    [IN_CONTRACTS, `export function long(run: () => void): void {\n${lines(79, () => 'run();')}\n}`],
  ],
  'no-console': [['libs/runtime/example.ts', "console.log('ready');"]],
  eqeqeq: [[IN_CONTRACTS, 'export const same = (a: string, b: string): boolean => a == b;']],
  'unused-directive': [
    [IN_CONTRACTS, '// eslint-disable-next-line eqeqeq -- nothing to disable here\nexport const one = 1;'],
  ],
};

/** Ways that the rules above leave open. */
const RIGHT: Example[] = [
  [
    `${IN_CONSOLE}.ts`,
    "import { guarded } from '@offizin/contracts/calls/spreadsheet-text'; export const first = guarded('=1', ',');",
  ],
  [
    `${IN_CONSOLE}.ts`,
    "import type { Role } from '@offizin/contracts/people/roles'; export const first: Role = 'owner';",
  ],
  [
    'apps/gateway/example.ts',
    "import { Module } from '@nestjs/common'; @Module({}) export class GatewayModule {}",
  ],
  [
    'apps/order-core/orders/orders/example.store.ts',
    `import type { PoolClient } from 'pg';
     import 'typeorm';
     import '@offizin/pg/any-file';
     export type Transaction = PoolClient;`,
  ],
  ['libs/bus/example.ts', "import 'nats'; import '@offizin/runtime/any-file';"],
  ['libs/pg/example.db.spec.ts', "import 'pg'; import '@offizin/testkit/any-file';"],
  ['libs/runtime/example.spec.ts', "jest.spyOn(Date, 'now').mockReturnValue(0);"],
  [
    'verification/stories/orders/example.e2e.spec.ts',
    `import '@offizin/testkit/any-file';
     import '../../../clients/typescript/src/client';`,
  ],
  [
    'verification/promises/g01/example.ts',
    `import '@offizin/testkit/any-file';
     import '../../../tools/any-file';
     console.log('ready');`,
  ],
  [
    'tools/example.ts',
    `import '@offizin/local-stack/any-file';
     import '@offizin/testkit/any-file';
     import '../apps/gateway/any-file';
     import 'undici';
     console.log('ready');`,
  ],
];

function lines(count: number, line: (place: number) => string): string {
  return Array.from({ length: count }, (_, place) => line(place)).join('\n');
}

interface Report {
  /** The rules that each example met, in the order of the examples. */
  found: string[][];
  knownImports: number;
  unknownImports: string[];
}

const LINT_TIMEOUT_MS = 240_000;
const cases = [
  ...Object.entries(WRONG).flatMap(([rule, examples]) =>
    examples.map((example) => ({ example, met: [rule] })),
  ),
  ...RIGHT.map((example) => ({ example, met: [] })),
].map(({ example: [file, text], met }, place) => ({ place, met, file, text }));
let report: Report;

/** One ESLint for all examples, in another process: Jest's sandbox refuses the `import()` of its configuration. */
beforeAll(() => {
  const output = execFileSync(process.execPath, [path.join(__dirname, 'lint-examples.mjs')], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
    timeout: LINT_TIMEOUT_MS,
    maxBuffer: 10_000_000,
  });
  report = JSON.parse(output) as Report;
}, LINT_TIMEOUT_MS);

it.each(cases)('lint meets $met in $file: $text', ({ place, met }) => {
  expect(report.found[place]).toEqual(met);
});

it('lint sees every import by alias as an edge of the project graph', () => {
  expect(report.unknownImports).toEqual([]);
  expect(report.knownImports).toBeGreaterThan(0);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loopback } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { http, json } from '@offizin/testkit/http';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { findings, readTree } from '../tidy/main';
import { edited, editOf, type PageStep, stepsOf } from './page-steps';
import { TreeCopy } from './tree-copy';
import { TypeCheck } from './type-check';

/**
 * Applies docs/adding-an-endpoint.md to a copy of the tree, step by step. After each step the checks of `npm test` must
 * report exactly the text below the step; a piece that no check reports, or a page that no longer fits, fails here.
 */
const PAGE = 'docs/adding-an-endpoint.md';
const SERVICE = 'catalog';
/** In the order in which the page settles their complaints. */
const SPECS = [
  'libs/contracts/operations.spec.ts',
  'tools/openapi/openapi.spec.ts',
  'tools/openapi/console-api.spec.ts',
  'tools/openapi/sentences.spec.ts',
  'tools/openapi/generated-types.spec.ts',
  'tools/docs/docs.spec.ts',
  'libs/testkit/operation-rows.spec.ts',
];
/** For a machine that does much else. */
const STEP_LIMIT_MS = 180_000;

const steps = stepsOf(readFileSync(join(checkoutRoot, PAGE), 'utf8'));
const paths = steps.flatMap(({ apply: { kind, text } }) => (kind === 'diff' ? [editOf(text).path] : []));
let copy: TreeCopy;
let types: TypeCheck;
let own: OwnStack;

beforeAll(async () => {
  copy = new TreeCopy();
  types = new TypeCheck(copy.root, paths);
  own = await startOwnStack({}, { appRoot: copy.root });
}, STEP_LIMIT_MS);
afterAll(async () => {
  try {
    await own.stop();
  } finally {
    copy.remove();
  }
});

async function apply({ apply: { kind, text } }: PageStep): Promise<void> {
  if (kind === 'sh') {
    for (const line of text.trim().split('\n')) await copy.runTool(line);
    return;
  }
  const edit = editOf(text);
  copy.write(edit.path, edited(copy.read(edit.path), edit));
  await copy.build(edit.path);
}

const START = 'start of the service';
let failing = SPECS.slice(0, 1);

/** Before the list only its spec can fail. A check that passes is not made again: no later step could break it. */
async function complaints(step: PageStep): Promise<string[]> {
  if (step === steps[1]) failing = [...SPECS, START];
  const specs = SPECS.filter((spec) => failing.includes(spec));
  const starting = failing.includes(START) ? refusedStart() : [];
  const [failed, refusal] = await Promise.all([copy.failedTests(specs), starting]);
  failing = [...failed.map(({ spec }) => spec), ...refusal.map(() => START)];
  return [...types.errors(), ...failed.map(({ complaint }) => complaint), ...refusal];
}

/** Starts a further process of the service from the copy's build. */
async function refusedStart(): Promise<string[]> {
  try {
    const { process } = await own.stack.addReplica(SERVICE);
    await process.stop();
    return [];
  } catch (error) {
    const { message } = error as Error;
    return [/no handler for [\w.-]+(?:, [\w.-]+)*/.exec(message)?.[0] ?? message];
  }
}

it('takes five edits, each in a file of its own', () => {
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toHaveLength(5);
});

it('lists after each step a complaint that the next step settles, and none after the last', () => {
  const settles = steps.map(({ complaints: open }, place) => {
    const left = new Set(steps[place + 1]?.complaints);
    return open.some((complaint) => !left.has(complaint));
  });
  expect(settles).toEqual(steps.map((_, place) => place < steps.length - 1));
});

it.each(steps.map((step) => [step.heading, step]))(
  'after "%s" the checks report what the page says',
  async (_, step) => {
    await apply(step);
    expect(await complaints(step)).toEqual(step.complaints);
  },
  STEP_LIMIT_MS,
);

it('leaves a tree that is tidy and formatted', async () => {
  expect(findings(readTree(copy.root), copy.root)).toEqual([]);
  await copy.run('prettier/bin/prettier.cjs', '--check', ...paths);
});

it(
  'ends with an endpoint that answers',
  async () => {
    const organization = await own.platform.organization();
    const [p1Id = ''] = await own.platform.catalogProducts(1);
    await organization.stock(p1Id, 5);
    await own.stack.addReplica(SERVICE);
    const { port } = await own.stack.addReplica('gateway');
    const call = (path: string) =>
      http(`${loopback(port)}/api/v2/public/orgs/${organization.orgId}/inventory/${path}`, {
        headers: { authorization: `Bearer ${organization.token}` },
      });
    const all = await call('totals');
    expect([all.status, json(all)]).toEqual([200, { products: 1, stock_quantity: 5, reserved_quantity: 0 }]);
    expect(json(await call('totals?category=none'))).toMatchObject({ products: 0, stock_quantity: 0 });
    expect((await call('totals?surprise=1')).status).toBe(400);
  },
  STEP_LIMIT_MS,
);

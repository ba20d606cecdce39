import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loopback } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { http, type HttpAnswer, type HttpOptions, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { findings, readTree } from '../tidy/main';
import { edited, editOf, type PageStep, stepsOf } from './page-steps';
import { TreeCopy } from './tree-copy';
import { TypeCheck } from './type-check';

/**
 * Applies docs/adding-an-endpoint.md to a copy of the tree, step by step. After each step the checks of `npm test` must
 * report exactly the text below the step; a piece that no check reports, or a page that no longer fits, fails here.
 * Then it applies docs/deprecating.md to the same copy, and calls what that deprecates.
 */
const PAGE = 'docs/adding-an-endpoint.md';
const SERVICE = 'catalog';
/** In the order in which the page settles their complaints. */
const SPECS = [
  'libs/contracts/operations.spec.ts',
  'tools/openapi/openapi.spec.ts',
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

describe('docs/deprecating.md', () => {
  const [step] = stepsOf(readFileSync(join(checkoutRoot, 'docs/deprecating.md'), 'utf8'));

  it(
    'names what the documents lack after the property',
    async () => {
      if (!step) throw new Error('docs/deprecating.md has no step');
      await apply(step);
      const failed = await copy.failedTests(['tools/docs/docs.spec.ts']);
      expect(failed.map(({ complaint }) => complaint)).toEqual(step.complaints);
    },
    STEP_LIMIT_MS,
  );

  describe('puts headers', () => {
    const NOTHING = {};
    const LOG_ENDS = {
      deprecation: '@1798761600',
      sunset: 'Mon, 31 Jan 2028 00:00:00 GMT',
      link: '<https://offizin.example.com/stock-log>; rel="deprecation"',
    };
    const SEARCH_ENDS = {
      deprecation: '@1801440000',
      sunset: 'Tue, 01 Feb 2028 00:00:00 GMT',
      link: '<https://offizin.example.com/search>; rel="deprecation"',
    };
    const API_BURST = 100;
    let organization: TestOrganization;
    let product = '';
    let [gateway, connector] = ['', ''];

    beforeAll(async () => {
      organization = await own.platform.organization();
      [product = ''] = await own.platform.catalogProducts(1);
      await organization.stock(product, 5);
      await deprecateCallback();
      // An older replica would answer some of the calls.
      await Promise.all([own.stack.apps[SERVICE], ...own.stack.replicas].map((old) => old.stop()));
      const limits = { API_RATE_PER_SECOND: '1', API_RATE_BURST: String(API_BURST) };
      const [, ofGateway, ofConnector] = await Promise.all([
        own.stack.addReplica(SERVICE),
        own.stack.addReplica('gateway', limits),
        own.stack.addReplica('connector-edge'),
      ]);
      [gateway, connector] = [loopback(ofGateway.port), loopback(ofConnector.port)];
    }, STEP_LIMIT_MS);

    /** The page changes one file; an operation of the other edge is in another. */
    async function deprecateCallback(): Promise<void> {
      const [path, name] = ['libs/contracts/callbacks.ts', "name: 'callback.get-external',"];
      const page = 'https://offizin.example.com/stock-log';
      const ends = `deprecated: { since: '2027-01-01', sunset: '2028-01-31', link: '${page}' },`;
      copy.write(path, copy.read(path).replace(name, `${name} ${ends}`));
      await copy.build(path);
    }

    async function call(path: string, options: HttpOptions = {}): Promise<[number, object]> {
      const url = `${gateway}/api/v2/public/orgs/${organization.orgId}/${path}`;
      const headers = { authorization: `Bearer ${organization.token}`, ...options.headers };
      return announced(await http(url, { ...options, headers }));
    }

    function announced({ status, headers: { deprecation, sunset, link } }: HttpAnswer): [number, object] {
      const sent = Object.entries({ deprecation, sunset, link }).filter(([, value]) => value !== undefined);
      return [status, Object.fromEntries(sent)];
    }

    it('on every answer of a deprecated operation', async () => {
      const log = `inventory/${product}/log`;
      expect(await call(log)).toEqual([200, LOG_ENDS]);
      expect(await call(log, { method: 'HEAD' })).toEqual([200, LOG_ENDS]);
      expect(await call(`${log}?surprise=1`)).toEqual([400, LOG_ENDS]);
      expect(await call('inventory/no-such-product/log')).toEqual([404, LOG_ENDS]);
      expect(await call(log, { headers: { authorization: 'Bearer wrong' } })).toEqual([401, LOG_ENDS]);
      expect(await call(log, { headers: { accept: 'image/png' } })).toEqual([406, LOG_ENDS]);
      expect(await call(log, { method: 'POST' })).toEqual([405, NOTHING]);
      expect(await call('inventory')).toEqual([200, NOTHING]);
    });

    it('on answers to requests that name a deprecated parameter or field', async () => {
      const adjustment = { p1_id: product, delta: 1, reason: 'received' };
      const adjust = (path: string, body: object): Promise<[number, object]> =>
        call(`inventory/adjust${path}`, { method: 'POST', body });
      expect(await call('inventory?q=none')).toEqual([200, SEARCH_ENDS]);
      expect(await call('inventory?q=')).toEqual([400, SEARCH_ENDS]);
      expect(await call('inventory?limit=1')).toEqual([200, NOTHING]);
      expect(await adjust('', adjustment)).toEqual([200, NOTHING]);
      expect(await adjust('', { ...adjustment, note: null })).toEqual([200, LOG_ENDS]);
      expect(await adjust('', { ...adjustment, note: 'x', reason: 'none' })).toEqual([400, LOG_ENDS]);
      const batch = { adjustments: [adjustment, { ...adjustment, note: 'counted' }] };
      expect(await adjust('/batch', batch)).toEqual([200, LOG_ENDS]);
    });

    it('on the answers of the other edge, its own and those of order-core', async () => {
      const { shops, integrationKey } = organization;
      const callback = async (apikey: string, method = 'GET'): Promise<[number, object]> => {
        const headers = { host: shops[0].domain, apikey };
        return announced(await http(`${connector}/api/v1/callback`, { method, headers }));
      };
      expect(await callback(integrationKey.text)).toEqual([404, LOG_ENDS]);
      expect(await callback('wrong')).toEqual([401, LOG_ENDS]);
      expect(await callback(integrationKey.text, 'DELETE')).toEqual([404, NOTHING]);
    });

    it('on a 429', async () => {
      const log = (): Promise<[number, object]> => call(`inventory/${product}/log`);
      const answers = await Promise.all(Array.from({ length: 2 * API_BURST }, log));
      const refused = answers.filter(([status]) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused).toEqual(refused.map(() => [429, LOG_ENDS]));
    });
  });
});

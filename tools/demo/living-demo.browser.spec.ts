import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Language, LANGUAGES, signInAs, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { TestPlatform } from '@offizin/testkit/platform';
import { importCatalogFile } from '../offizin/catalog';
import { Platform } from '../offizin/platform';
import type { DemoOrganization } from '../up/demo-file';
import type { HistoryPlan } from './history';
import { type DemoTarget, liveDemo, submitOne } from './living-demo';
import { PLANTED_CASES } from './requests';
import { CATALOG_FILE, readProducts } from './products';

/** The demo fills two organizations of the running stack, with a smaller plan. */
const PLAN: HistoryPlan = { open: 30, asked: 4, decided: 12, orders: 160 };
const openScreen = useScreens();
const folder = mkdtempSync(join(tmpdir(), 'offizin-demo-'));
let platform: TestPlatform;
let organizations: [TestOrganization, TestOrganization];
let target: DemoTarget;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organizations = [await platform.organization(), await platform.organization()];
  const operator = await Platform.connect(platform.access);
  await importCatalogFile(operator, CATALOG_FILE).finally(() => operator.close());
  target = {
    dataDir: folder,
    gatewayUrl: platform.access.baseUrl,
    operator: platform.access,
    organizations: organizations.map(demoOf),
  };
}, 60_000);

afterAll(() => platform.close());

function demoOf({ orgId, apiKey, shops }: TestOrganization): DemoOrganization {
  const ids = shops.map(({ shopId }) => ({ shop_id: shopId, name: '', domain: '', shop_url: '' }));
  return { org_id: orgId, name: '', api_key: apiKey.text, integration_key: '', shops: ids, staff: [] };
}

async function run(signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  await liveDemo(target, { plan: PLAN, quiet: true, signal, onLine: (line) => lines.push(line) });
  return lines;
}

async function total(path: string): Promise<number> {
  const counts = organizations.map(async (organization) => {
    const answer = await organization.api('GET', `${path}${path.includes('?') ? '&' : '?'}limit=1&offset=0`);
    return json<{ pagination: { total: number } }>(answer).pagination.total;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count);
}

async function counts(): Promise<number[]> {
  const paths = ['pending', 'needs_clarification', 'approved', 'rejected'].map(
    (s) => `/order-requests?status=${s}`,
  );
  return Promise.all([...paths, '/orders'].map(total));
}

it('fills both organizations, also after it was ended in the middle, and then adds nothing', async () => {
  const ended = new AbortController();
  const first = run(ended.signal);
  await eventually('a first request', async () => (await total('/order-requests')) > 0, 60_000);
  ended.abort();
  expect(await first).toEqual([]);
  expect(await total('/orders')).toBeLessThan(PLAN.orders);

  expect(await run(new AbortController().signal)).toEqual(['demo data is complete']);
  const [pending, asked, approved, rejected, orders] = await counts();
  expect([pending, asked, orders]).toEqual([PLAN.open, PLAN.asked, PLAN.orders]);
  expect((approved ?? 0) + (rejected ?? 0)).toBe(PLAN.decided);

  const before = await counts();
  expect(await run(new AbortController().signal)).toEqual([]);
  rmSync(join(folder, 'demo-history.json'));
  expect(await run(new AbortController().signal)).toEqual(['demo data is complete']);
  expect(await counts()).toEqual(before);
}, 180_000);

it('plants its cases, low stock and three endpoints, and no event of the past', async () => {
  const [organization] = organizations;
  for (const { reference } of PLANTED_CASES)
    expect([reference, await total(`/order-requests?external_reference=${reference}`)]).toEqual([
      reference,
      1,
    ]);
  const low = json<{ data: unknown[] }>(await organization.api('GET', '/inventory?low_stock=true'));
  expect(low.data).toHaveLength(5);
  const webhooks = json<{ data: unknown[] }>(await organization.api('GET', '/webhooks'));
  expect(webhooks.data).toHaveLength(3);
  const events = json<{ data: { event_type: string }[] }>(await organization.api('GET', '/events?limit=200'));
  expect(events.data.filter(({ event_type }) => event_type.startsWith('order'))).toEqual([]);
}, 60_000);

it('sends one request a minute, and the same one once', async () => {
  const before = await total('/order-requests?status=pending');
  const now = new Date();
  for (let times = 0; times < 2; times += 1) await submitOne(target, readProducts(), now);
  expect(await total('/order-requests?status=pending')).toBe(before + 1);
}, 30_000);

/** Nothing about it is doubtful: a reader of the guide sees this request first. */
const QUIET_REQUEST = 'DEMO-SAME-CUSTOMER-1';

/** What docs/pharmacy/console.*.md shows, as it looks at the end of the demo; kept as docs-<name>.png. */
const PICTURES = [
  {
    name: 'requests',
    pathFor: (requestId: string) => `/console/requests?id=${requestId}`,
    content: 'canvas[data-state=drawn]',
  },
  { name: 'packing', pathFor: () => '/console/orders/pack', content: 'main h2' },
];

async function pharmacistReading(language: Language): Promise<TestPerson> {
  const [{ orgId }] = organizations;
  const pharmacist = await platform.person(orgId, 'pharmacist');
  const owner = await platform.person(orgId, 'owner');
  await owner.org('PUT', `/staff/${pharmacist.id}`, { name: 'Katharina Berg' });
  await pharmacist.call('PUT', '/api/me', { language });
  return pharmacist;
}

it.each(LANGUAGES)(
  'makes the pictures of the pages for pharmacies (%s)',
  async (language) => {
    const [own] = organizations;
    for (const [index, { shopId }] of own.shops.entries())
      await own.api('PUT', `/shops/${shopId}`, {
        name: ['Sonnen-Apotheke Mitte', 'Sonnen-Apotheke Versand'][index],
      });
    const found = await own.api('GET', `/order-requests?external_reference=${QUIET_REQUEST}`);
    const [quiet] = json<{ data: { id: string }[] }>(found).data;
    const screen = await openScreen({ language });
    await signInAs(screen, await pharmacistReading(language));
    for (const { name, pathFor, content } of PICTURES) {
      await screen.page.goto(pathFor(quiet?.id ?? ''));
      await screen.page.locator(content).first().waitFor();
      await screen.keepScreenshot(`docs-${name}-${language}`);
    }
  },
  60_000,
);

import type { Page } from 'playwright-core';
import { axeFindings, sidewaysScroll } from '@offizin/testkit/browser/page-checks';
import { type Screen, THEMES, useScreens, WIDTHS } from '@offizin/testkit/browser/screen';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';

/** An integrator reads the API reference in a real browser, and tries it. */
const openScreen = useScreens();
const { baseUrl } = testEnvironment();

/**
 * Findings of axe of which none is critical or serious, and all are Swagger UI's: its headings begin at h4, and its
 * tables of answers have one name.
 */
const OF_SWAGGER_UI = /^(?:heading-order|landmark-unique):/;

const platform = usePlatform();
let organization: TestOrganization;
beforeAll(async () => {
  organization = await platform.organization();
});

async function openReference(screen: Screen, hash = ''): Promise<Page> {
  const { page } = screen;
  await page.goto(`/docs${hash}`);
  await page.locator('nav a').first().waitFor({ state: 'attached' });
  return page;
}

/** The call of the address, with its samples: Swagger UI is the slowest part. */
const samplesOf = (page: Page) => page.locator('.opblock.is-open .samples');

async function enterKey(page: Page, key = organization.apiKey.text): Promise<void> {
  await page.getByLabel('Organization API key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByLabel('Shop', { exact: true }).waitFor();
}

it.each(WIDTHS)('leads to guides and calls under its own policy, %d px wide', async (width) => {
  const screen = await openScreen({ width });
  const page = await openReference(screen);
  expect(await sidewaysScroll(page)).toEqual([]);
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  const navigation = page.getByRole('navigation', { name: 'Reference' });
  await navigation.getByRole('link', { name: 'Repeating calls safely' }).click();
  await page.getByRole('heading', { level: 1, name: 'Repeating calls safely' }).waitFor();
  expect(await sidewaysScroll(page)).toEqual([]);
  if (await menu.isVisible()) await menu.click();
  await navigation.locator('summary', { hasText: /^orders$/ }).click();
  await navigation.getByRole('link', { name: 'Read an order' }).click();
  await samplesOf(page).waitFor();
  expect(page.url()).toMatch(/#\/orders\/orders\.get$/);
  expect(await sidewaysScroll(page)).toEqual([]);
  await screen.keepScreenshot(`reference-${width}`);
});

it('finds "idempotency" by keyboard, at an address that survives a reload', async () => {
  const screen = await openScreen();
  const page = await openReference(screen);
  await screen.press('/');
  await page.keyboard.type('idempotency');
  const found = page.getByRole('option');
  expect(await found.first().innerText()).toContain('Repeating calls safely');
  // Calls take the header of that name.
  expect((await found.allInnerTexts()).join()).toContain('POST /');
  await screen.press('ArrowDown', 'ArrowUp', 'Enter');
  const heading = page.getByRole('heading', { level: 1, name: 'Repeating calls safely' });
  await heading.waitFor();
  expect(page.url()).toBe(`${baseUrl}/docs#/guides/idempotency`);
  await page.reload();
  await heading.waitFor();
  // A field of a body leads to its call; a search without results states it.
  await screen.press('/');
  await page.keyboard.type('low_stock_threshold');
  expect((await found.allInnerTexts()).join()).toContain('PUT /products/{p1Id}');
  await page.getByRole('combobox').fill('Zauberwort');
  await page.getByText('Nothing found for “Zauberwort”.').waitFor();
  await screen.press('Escape');
  await page.getByRole('navigation', { name: 'Reference' }).waitFor();
});

it('takes organization, shop and token from an API key, and tries a call with them', async () => {
  const screen = await openScreen();
  const foreign: string[] = [];
  screen.page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== baseUrl)
      foreign.push(request.url());
  });
  const page = await openReference(screen, '#/orders/orders.upsert');
  await samplesOf(page).waitFor();
  const refusal = page.locator('.responses-wrapper').getByRole('button', { name: 'precondition_failed' });
  const explained = page.getByText('The object is not of a version that If-Match names');
  expect(await explained.count()).toBe(0);
  await refusal.click();
  await explained.first().waitFor();
  await enterKey(page);
  const sample = samplesOf(page).locator('pre');
  for (const [language, text] of [
    ['curl', `/orgs/${organization.orgId}/orders`],
    ['TypeScript', `shop_id: '${organization.shops[0].shopId}'`],
    ['Python', 'urllib.request.urlopen'],
  ] as const) {
    await samplesOf(page).getByRole('button', { name: language }).click();
    expect(await sample.innerText()).toContain(text);
  }
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.locator('.live-responses-table').waitFor();
  expect(
    await page.locator('.live-responses-table tbody .response-col_status').first().innerText(),
  ).toContain('201');
  await screen.keepScreenshot('reference-tried');
  const { data } = json<{ data: unknown[] }>(await organization.api('GET', '/orders?external_id=erp-1001'));
  expect(data).toMatchObject([{ shop_id: organization.shops[0].shopId }]);
  expect(foreign).toEqual([]);
});

const orderBody = (page: Page): Promise<string> => page.locator('.opblock.is-open textarea').inputValue();

it('fills another shop into calls that are open, and keeps what the reader wrote in them', async () => {
  const [first, second] = organization.shops.map(({ shopId }) => shopId);
  const screen = await openScreen();
  const page = await openReference(screen, '#/products/products.list');
  await samplesOf(page).waitFor();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await enterKey(page);
  const shops = page.getByLabel('Shop', { exact: true });
  const field = page.locator('.opblock.is-open tr[data-param-name="shop_id"] input');
  await eventually('the first shop', async () => (await field.inputValue()) === first);
  await shops.selectOption(second ?? '');
  await eventually('the second shop', async () => (await field.inputValue()) === second);
  await page.goto('/docs#/orders/orders.upsert');
  await samplesOf(page).waitFor();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const written = (await orderBody(page)).replace('erp-1001', 'mine');
  expect(written).toContain(second);
  await page.locator('.opblock.is-open textarea').fill(written);
  await shops.selectOption(first ?? '');
  await eventually('the first shop', async () => (await orderBody(page)).includes(first ?? '-'));
  expect(JSON.parse(await orderBody(page))).toEqual({ ...JSON.parse(written), shop_id: first });
  await page.locator('.opblock.is-open textarea').fill('{ no JSON');
  await shops.selectOption(second ?? '');
  await samplesOf(page)
    .getByText(second ?? '')
    .waitFor();
  expect(await orderBody(page)).toBe('{ no JSON');
});

it('states why a key cannot be used, and then knows nothing of it', async () => {
  const screen = await openScreen();
  screen.faults.expect(/401|ERR_FAILED/);
  const page = await openReference(screen, '#/shops/shops.list');
  await samplesOf(page).waitFor();
  const refused = async (key: string, why: string): Promise<void> => {
    await page.getByLabel('Organization API key').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('alert').getByText(why).waitFor();
  };
  await refused('ofz_org_wrong', 'The API key is unknown');
  await refused(organization.integrationKey.text, 'it is not one to exchange for a token');
  await page.route(/\/shops$/, (route) => route.abort());
  await refused(organization.apiKey.text, 'is unavailable: no answer');
  await page.unroute(/\/shops$/);
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.locator('.opblock.is-open tr[data-param-name="orgId"] input').fill(organization.orgId);
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.locator('.live-responses-table').getByText('401').first().waitFor();
});

it('copies a sample, and selects it where the browser does not copy', async () => {
  const screen = await openScreen();
  await screen.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await openReference(screen, '#/shops/shops.list');
  const copy = samplesOf(page).getByRole('button', { name: 'Copy' });
  const inBrowser = (script: string): Promise<unknown> => page.evaluate(script);
  const sample = (await samplesOf(page).locator('code').innerText()).trim();
  await copy.click();
  await samplesOf(page).getByText('Copied').waitFor();
  expect(await inBrowser('navigator.clipboard.readText()')).toBe(sample);
  // As on a page without TLS.
  await inBrowser(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
  await samplesOf(page).getByRole('button', { name: 'Python' }).click();
  await copy.click();
  await samplesOf(page).getByText('The text is selected').waitFor();
  expect(await inBrowser('getSelection().toString()')).toContain('urllib.request.urlopen');
});

it('states that an address names no guide or noun', async () => {
  const page = await openReference(await openScreen(), '#/guides/nothing');
  await page.getByText('There is no such guide.').waitFor();
  await page.goto('/docs#/nothing/more');
  await page.getByText('There is no such noun.').waitFor();
  await page.goto('/docs#/guides');
  await page.getByRole('heading', { name: 'Offizin reference' }).waitFor();
});

it.each(THEMES)('has no finding of axe of its own on a guide and on an open call, %s', async (theme) => {
  const screen = await openScreen({ theme });
  const page = await openReference(screen);
  expect(await axeFindings(page)).toEqual([]);
  await page.goto('/docs#/guides/errors');
  await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await screen.keepScreenshot(`reference-guide-${theme}`);
  await page.goto('/docs#/orders/orders.upsert');
  await samplesOf(page).waitFor();
  await page.getByRole('button', { name: 'Try it out' }).click();
  expect((await axeFindings(page)).filter((finding) => !OF_SWAGGER_UI.test(finding))).toEqual([]);
  await screen.keepScreenshot(`reference-call-${theme}`);
});

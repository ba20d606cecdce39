import type { Locator } from 'playwright-core';
import { choicesOf, choose, picker } from '@offizin/testkit/browser/pickers';
import { type Screen, openAs, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { newOrder, withPrinter } from './orders/list-screens';
import { submitWith } from './requests/review-screen';

/** Reports in the console: the figures of the API, and nothing else. */
const openScreen = useScreens();
const platform = usePlatform();

interface Stats {
  orders: {
    total: number;
    revenue: number;
    average_order_value: number;
    by_status: { status: string; orders: number; amount: number }[];
  };
  customers: { total: number };
}

const STATUS: Readonly<Record<string, string>> = { pending: 'Neu', cancelled: 'Storniert' };

interface ProductRow {
  name: string;
  quantity: number;
  revenue: number;
}

/** An amount as the screen shows it, with plain spaces. */
function money(euros: number): string {
  const format = new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' });
  return plain(format.format(euros));
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

async function report<Data>(organization: TestOrganization, name: string, query = ''): Promise<Data> {
  return json<{ data: Data }>(await organization.api('GET', `/reports/${name}${query}`)).data;
}

async function figuresOf({ page }: Screen): Promise<string[]> {
  const texts = await page.locator('main dl > div > dd:nth-of-type(1)').allInnerTexts();
  return texts.map(plain);
}

function figureOf({ page }: Screen, title: string): Locator {
  return page.getByRole('heading', { name: title }).locator('xpath=ancestor::section[1]');
}

async function rowsOf(screen: Screen, title: string): Promise<string[]> {
  const section = figureOf(screen, title);
  await section.getByRole('button', { name: 'Als Tabelle' }).click();
  const rows = section.locator('tbody tr');
  // Each plot asks for its own figures, after the tiles are there.
  await rows.first().waitFor();
  return (await rows.allInnerTexts()).map(plain);
}

it('shows the figures of the API as tiles, bars and tables, for the shop and the days of the address', async () => {
  const { organization, person: pharmacist } = await platform.staffed('pharmacist');
  const lines = [{ name: 'Vaporizer', qty: 2, price: 149.95 }];
  await newOrder(organization, 'Anna Anders', { total_amount: 142.5 });
  await newOrder(organization, 'Anna Anders', { items: lines, total_amount: 304.85 });
  await newOrder(organization, 'Bodo Beck', { shop_id: organization.shops[1].shopId, total_amount: 99 });
  const cancelled = await newOrder(organization, 'Carla Conrad', { total_amount: 1000 });
  await organization.api('PATCH', `/orders/${cancelled}/status`, { status: 'cancelled' });
  const screen = await openScreen();
  await openAs(screen, pharmacist, '/console/settings/me');
  await screen.page.locator('main form').first().waitFor();
  await screen.press('g', 'b');
  await screen.page.getByRole('heading', { level: 1, name: 'Berichte' }).waitFor();
  await screen.page.locator('main dl').waitFor();
  const { orders, customers } = await report<Stats>(organization, 'stats');
  expect(orders.total).toBe(3);
  expect(await figuresOf(screen)).toEqual([
    '3',
    money(orders.revenue),
    '–',
    money(orders.average_order_value),
    String(customers.total),
  ]);
  const products = await report<ProductRow[]>(organization, 'product-performance');
  expect(await rowsOf(screen, 'Produkte nach Umsatz')).toEqual(
    products.map(({ name, quantity, revenue }) => `${name} ${quantity} ${money(revenue)}`),
  );
  const statuses = orders.by_status.filter((row) => row.orders > 0);
  expect(await rowsOf(screen, 'Aufträge nach Status')).toEqual(
    statuses.map((row) => `${STATUS[row.status] ?? ''} ${row.orders} ${money(row.amount)}`),
  );
  await screen.page.locator('main svg path.recharts-rectangle').first().waitFor();

  const shopId = organization.shops[1].shopId;
  await picker(screen.page, 'Shop').click();
  await choicesOf(screen.page, 'Shop').filter({ hasText: /^b-/ }).click();
  await screen.page.locator('main dl dd', { hasText: /^1$/ }).first().waitFor();
  await screen.page.reload();
  await screen.page.locator('main dl').waitFor();
  const ofShop = await report<Stats>(organization, 'stats', `?shop_id=${shopId}`);
  expect((await figuresOf(screen)).slice(0, 2)).toEqual(['1', money(ofShop.orders.revenue)]);

  await choose(screen.page, 'Zeitraum', 'Monat');
  await screen.page.getByRole('button', { name: 'Monat danach' }).waitFor();
  expect(await screen.page.getByRole('button', { name: 'Monat danach' }).isDisabled()).toBe(true);
  await screen.page.locator('main dl dd', { hasText: /^1$/ }).first().waitFor();
  await screen.keepScreenshot('reports-month');
  await screen.page.goto('/console/reports?month=2020-02');
  await screen.page.getByText('vom 01.02.2020 bis zum 29.02.2020').waitFor();
  await screen.page.getByRole('button', { name: 'Monat davor' }).click();
  await screen.page.getByText('Weder Anfragen noch Aufträge in diesem Zeitraum').waitFor();
  await screen.page.getByText('vom 01.01.2020 bis zum 31.01.2020').waitFor();
  expect(new URL(screen.page.url()).search).toBe('?month=2020-01');
  // A year typed digit by digit: 0002, 0020 and 0201 are not days of the period.
  await screen.page.getByLabel('Von', { exact: true }).focus();
  await screen.press('Tab', 'Tab', ...'2019');
  await screen.page.getByText('vom 01.01.2019 bis zum 31.01.2020').waitFor();
  await screen.page.getByText('Ein Zeitraum hat höchstens 366 Tage').waitFor();
});

it('shows what became of requests, why they were rejected and what runs out, as plots, as tables and on paper', async () => {
  const { organization, person: pharmacist } = await platform.staffed('pharmacist');
  const [approved, rejected] = [
    await submitWith(organization, 'Anna Anders', {}),
    await submitWith(organization, 'Bodo Beck', {}),
  ];
  await submitWith(organization, 'Carla Conrad', {});
  await organization.api('POST', `/order-requests/${approved}/approve`, {});
  await organization.api('POST', `/order-requests/${rejected}/reject`, { reason: 'out_of_stock' });
  const [product = ''] = await platform.catalogProducts(1);
  await organization.stock(product, 12);
  await organization.api('POST', '/inventory/adjust', { p1_id: product, delta: -8, reason: 'sold' });
  const { screen, printed } = await withPrinter(await openScreen());
  await openAs(screen, pharmacist, '/console/reports?days=7');
  await screen.page.locator('main dl').waitFor();
  await screen.page.locator('main svg path.recharts-rectangle').first().waitFor();
  expect((await figuresOf(screen))[2]).toBe('50 %');
  await screen.page.getByRole('img', { name: /^Bald ausverkauft/ }).waitFor();
  await screen.keepPaper('reports');
  const [from, to] = await Promise.all(
    ['Von', 'Bis'].map((label) => screen.page.getByLabel(label, { exact: true }).inputValue()),
  );
  const read = async <Data>(name: string): Promise<Data> => {
    const path = `/api/v2/public/orgs/${organization.orgId}/reports/${name}?from=${from}&to=${to}`;
    return json<{ data: Data }>(await pharmacist.call('GET', path)).data;
  };
  const days = await read<Record<string, number | string>[]>('daily');
  expect(days).toHaveLength(7);
  expect(days.at(-1)).toMatchObject({ requests: 3, approved: 1, rejected: 1, orders: 1 });
  const german = (day: unknown) => String(day).split('-').reverse().join('.');
  expect(await rowsOf(screen, 'Anfragen nach Ergebnis')).toEqual(
    days.map(({ day, requests = 0, approved: yes = 0, rejected: no = 0 }) =>
      [german(day), requests, yes, no, Number(requests) - Number(yes) - Number(no)].join(' '),
    ),
  );
  expect(await rowsOf(screen, 'Umsatz je Tag')).toEqual(
    days.map(({ day, revenue = 0 }) => `${german(day)} ${money(Number(revenue))}`),
  );
  expect(await rowsOf(screen, 'Ablehnungsgründe')).toEqual(['Nicht vorrätig 1']);
  expect(await rowsOf(screen, 'Bald ausverkauft')).toEqual([expect.stringMatching(/ 4 8 0$/)]);

  expect(await screen.page.getByRole('button', { name: /CSV/ }).count()).toBe(0);
  await screen.page.getByRole('button', { name: /^Drucken/ }).click();
  await eventually('the page to be printed', () => printed() === 1);
});

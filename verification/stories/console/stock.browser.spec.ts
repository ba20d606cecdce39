import { buffer } from 'node:stream/consumers';
import { type Screen, openAs, useScreens } from '@offizin/testkit/browser/screen';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { ListScreen } from './orders/list-screens';

/** Stock in the console: the list, adjusting and undoing, the log and the course of one product. */
const openScreen = useScreens();
/** Less than the time after which a screen without the stream asks again. */
const SOON_MS = 15_000;

const platform = usePlatform();

interface Stocked {
  organization: TestOrganization;
  /** Three products in stock: 40, 7 and 0 pieces. */
  ids: [string, string, string];
}

async function newStockedOrganization(): Promise<Stocked> {
  const organization = await platform.organization();
  const [many = '', few = '', none = ''] = await platform.catalogProducts(3);
  await organization.stock(many, 40);
  await organization.stock(few, 7);
  await organization.stock(none, 0);
  return { organization, ids: [many, few, none] };
}

async function openStock(screen: Screen, person: TestPerson, search = ''): Promise<ListScreen> {
  await openAs(screen, person, `/console/stock${search}`);
  return new ListScreen(screen, { list: 'Bestand', object: 'Produkt' });
}

async function storedStock({ organization }: Stocked, id: string): Promise<number> {
  const { data } = json<{ data: { p1_id: string; stock_quantity: number }[] }>(
    await organization.api('GET', `/inventory?q=${id}`),
  );
  return data[0]?.stock_quantity ?? -1;
}

async function adjustBy({ organization }: Stocked, id: string, delta: number): Promise<void> {
  const body = { p1_id: id, delta, reason: 'sold' };
  expect((await organization.api('POST', '/inventory/adjust', body)).status).toBe(200);
}

it('adjusts by keys, meets a newer stock without losing what was typed, and undoes by an opposite entry', async () => {
  const stocked = await newStockedOrganization();
  const [many] = stocked.ids;
  const clerk = await platform.person(stocked.organization.orgId, 'clerk');
  const screen = await openScreen();
  screen.faults.expect(/status of 409 /);
  const stock = await openStock(screen, clerk);
  await stock.page.goto('/console/settings/me');
  await stock.page.locator('main form').first().waitFor();
  await stock.press('g', 's');
  await stock.row(many).waitFor();
  await stock.press('j', 'Enter');
  await stock.untilOpen(`Produkt ${many}`);
  await stock.press('+');
  await stock.dialog.waitFor();
  await stock.type('12');
  await stock.dialog.getByText('Neuer Bestand: 52.').waitFor();
  await stock.dialog.getByLabel('Referenz').fill('LS-7');
  await stock.press('Enter');
  await stock.message(`Produkt ${many}: Bestand ist 52.`).waitFor();
  await stock.detail.getByText('Referenz LS-7').waitFor();
  expect(await storedStock(stocked, many)).toBe(52);

  await stock.press('c');
  await stock.dialog.waitFor();
  await stock.type('50');
  await stock.dialog.getByLabel('Notiz').fill('Inventur');
  await adjustBy(stocked, many, -3);
  await stock.dialog.getByRole('button', { name: 'Buchen' }).click();
  await stock.dialog.getByText(/49 statt 52/).waitFor();
  expect(await stock.dialog.getByLabel('Gezählte Stück').inputValue()).toBe('50');
  expect(await stock.dialog.getByLabel('Notiz').inputValue()).toBe('Inventur');
  await screen.keepScreenshot('stock-stale');
  expect(await storedStock(stocked, many)).toBe(49);
  await stock.press('Control+Enter');
  await stock.message(`Produkt ${many}: Bestand ist 50.`).waitFor();

  await stock.press('z');
  await stock.message(`Produkt ${many}: Bestand ist 49.`).waitFor();
  expect(await storedStock(stocked, many)).toBe(49);
  const entries = stock.detail.getByRole('listitem');
  await entries.filter({ hasText: 'Gegenbuchung, danach 49' }).waitFor();
  expect(await entries.filter({ hasText: 'Korrektur, danach 50' }).innerText()).toMatch(/zurückgenommen/);
  await entries
    .filter({ hasText: 'LS-7' })
    .getByRole('button', { name: /^Rückgängig/ })
    .click();
  await stock.message(`Produkt ${many}: Bestand ist 37.`).waitFor();
  expect(await storedStock(stocked, many)).toBe(37);
});

it('counts on the stock that was just booked, before the product is read again', async () => {
  const stocked = await newStockedOrganization();
  const [many] = stocked.ids;
  const clerk = await platform.person(stocked.organization.orgId, 'clerk');
  const screen = await openScreen();
  const stock = await openStock(screen, clerk, `?id=${many}`);
  await stock.untilOpen(`Produkt ${many}`);
  const { release } = await screen.holdCalls(new RegExp(`/stock/${many}$`));
  await stock.press('+');
  await stock.type('12');
  await stock.press('Enter');
  await stock.message(`Produkt ${many}: Bestand ist 52.`).waitFor();
  await stock.press('c');
  await stock.type('50');
  await stock.press('Enter');
  await stock.message(`Produkt ${many}: Bestand ist 50.`).waitFor();
  // One message states the stock.
  expect(await stock.message(/Bestand ist/).count()).toBe(1);
  release();
  await stock.press('z');
  await stock.message(`Produkt ${many}: Bestand ist 52.`).waitFor();
  expect(await storedStock(stocked, many)).toBe(52);
});

it('sets the threshold in place by t, which makes the stock low; both filters stay in the address', async () => {
  const stocked = await newStockedOrganization();
  const [many, few, none] = stocked.ids;
  const clerk = await platform.person(stocked.organization.orgId, 'clerk');
  const stock = await openStock(await openScreen(), clerk, `?id=${few}`);
  const low = (text: RegExp) =>
    stock.page.getByRole('group', { name: 'Auswahl des Bestands' }).getByRole('button', { name: text });
  await low(/^Niedrig 1$/).waitFor();
  await stock.untilOpen(`Produkt ${few}`);
  await stock.press('t');
  await stock.type('7,5');
  await stock.detail.getByText('Bitte geben Sie eine ganze Zahl ein').waitFor();
  await stock.press('Escape', 'Control+a');
  await stock.type('7');
  await stock.row(many).click();
  await stock.untilOpen(`Produkt ${many}`);
  await stock.row(few).click();
  await stock.untilOpen(`Produkt ${few}`);
  expect(await stock.detail.getByLabel('Meldegrenze', { exact: true }).inputValue()).toBe('7');
  await stock.press('t', 'Enter');
  await stock.message(`Produkt ${few}: Meldegrenze ist 7.`).waitFor();
  await stock.row(few).getByText('Niedrig').waitFor();
  await low(/^Niedrig 2$/).click();
  await stock.page.reload();
  await stock.row(none).waitFor();
  expect(await stock.row('Produkt').count()).toBe(2);
  const saving = stock.page.waitForEvent('download');
  await stock.press('Shift+E');
  const rows = (await buffer(await (await saving).createReadStream())).toString().trimEnd().split('\r\n');
  expect(rows.map((row) => row.split(';')[0]).sort()).toEqual(
    [`"${few}"`, `"${none}"`, '\uFEFF"Produktnummer"'].sort(),
  );
  await stock.screen.keepScreenshot('stock-low');
  await stock.page.goto('/console/stock?q=nobody');
  await stock.page.getByText('Kein Produkt passt zu diesem Filter').waitFor();
});

it('shows a pharmacist changes by others, as a plot and as a table, and lets them change nothing', async () => {
  const stocked = await newStockedOrganization();
  const [many] = stocked.ids;
  const pharmacist = await platform.person(stocked.organization.orgId, 'pharmacist');
  const stock = await openStock(await openScreen(), pharmacist, `?id=${many}`);
  await stock.detail.getByText('Ihre Rolle darf den Bestand ansehen, aber nicht ändern.').waitFor();
  await stock.press('+');
  expect(await stock.dialog.count()).toBe(0);
  await stock.detail.getByRole('img', { name: /höchstens 40, jetzt 40 Stück/ }).waitFor();
  await adjustBy(stocked, many, -5);
  await stock.row(many).getByText('35', { exact: true }).first().waitFor({ timeout: SOON_MS });
  await stock.detail.getByRole('img', { name: /jetzt 35 Stück/ }).waitFor({ timeout: SOON_MS });
  await stock.detail.locator('svg path.recharts-line-curve').waitFor({ state: 'attached' });
  await stock.detail.getByText('Verkauf, danach 35').waitFor();
  const items = [{ product_id: many, quantity: 2, price: 4.5 }];
  const requestId = await stocked.organization.submit(orderRequest({ items }));
  const approved = await pharmacist.org('POST', `/order-requests/${requestId}/approve`, { version: 1 });
  expect(approved.status).toBe(200);
  const reserved = stock.page.getByRole('img', { name: /^Bestand 35, davon 2 reserviert/ });
  await reserved.nth(1).waitFor({ timeout: SOON_MS });
  expect(await stock.detail.getByRole('button', { name: /^Rückgängig/ }).count()).toBe(0);
  await stock.detail.getByRole('button', { name: 'Als Tabelle' }).click();
  const cells = await stock.detail.getByRole('cell').allInnerTexts();
  expect(cells).toEqual(['35']);
});

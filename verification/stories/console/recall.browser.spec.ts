import { buffer } from 'node:stream/consumers';
import { type Screen, openAs, useScreens } from '@offizin/testkit/browser/screen';
import { Wedge } from '@offizin/testkit/browser/wedge';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { newOrder, ShownScreen, withPrinter } from './orders/list-screens';

/** A recall: from a pack, or a lot that is typed, to the customers who got it. */
const openScreen = useScreens();
const platform = usePlatform();
/** More than the time after which a list asks again. */
const SOON_MS = 20_000;

const LOT = 'AB12';
const PACK = ']d2010415003752864321SN77\x1d1728123110AB12';

interface Recalled {
  organization: TestOrganization;
  tea: string;
  orders: string[];
}

/** Three orders with two packs each of the lot; the last of a customer whose data are erased then. */
async function newRecall(): Promise<Recalled> {
  const organization = await platform.organization();
  const [tea = ''] = await platform.catalogProducts(1);
  await organization.stock(tea, 90);
  await organization.api('PUT', `/products/${tea}`, { name: 'Tee', pzn: '03752864' });
  const orders: string[] = [];
  for (const [place, customer] of ['Anna Anders', 'Bodo Beck', 'Carla Celan'].entries()) {
    const id = await newOrder(organization, customer, {
      items: [{ name: 'Tee', qty: 2, price: 4.5, p1_id: tea }],
      address_phone: `0731 1234${place}`,
      customer_email: `${place}@kunden.example`,
      order_number: `B-${place}`,
    });
    await packLot(organization, id, LOT);
    orders.push(id);
  }
  return { organization, tea, orders };
}

async function packLot(organization: TestOrganization, id: string, lot: string): Promise<void> {
  const answer = await organization.api('PUT', `/orders/${id}/lots`, {
    lots: [{ line: 1, lot, quantity: 2 }],
  });
  expect(answer.status).toBe(200);
}

class RecallScreen extends ShownScreen {
  readonly table = this.page.getByRole('table', { name: 'Aufträge mit dieser Charge' });

  static async openedBy(person: TestPerson, address: string, screen: Screen): Promise<RecallScreen> {
    await openAs(screen, person, address);
    return new RecallScreen(screen);
  }

  row(text: string) {
    return this.table.getByRole('row').filter({ hasText: text });
  }

  tick(customer: string) {
    return this.page.getByRole('checkbox', { name: `Informiert: ${customer}` });
  }

  async untilLot(): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: `Rückruf: Charge ${LOT}` }).waitFor();
  }
}

async function holds(organization: TestOrganization): Promise<object[]> {
  return json<{ data: object[] }>(await organization.api('GET', '/lots/holds')).data;
}

it('shows the orders of a scanned pack after two keys, holds its lot, and notes whom a person has informed', async () => {
  const { organization, tea, orders } = await newRecall();
  const pharmacist = await platform.person(organization.orgId, 'pharmacist');
  const { screen, printed } = await withPrinter(await openScreen());
  const recall = await RecallScreen.openedBy(pharmacist, '/console', screen);
  const { page } = recall;
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const wedge = await Wedge.of(page);
  await recall.press('g', 'c');
  await page.getByText('Keine Charge ist gesperrt.').waitFor();
  await screen.keepScreenshot('recall-start');
  await wedge.scan(PACK, { gapMs: 20 });
  await recall.untilLot();
  await page.getByText('0 von 3 informiert · 6 Stück').waitFor();
  expect(await recall.row('Anna Anders').innerText()).toMatch(/0731 12340[^]*2 × Tee[^]*B-0/);
  expect(await recall.row('Anna Anders').getByRole('link', { name: '0731 12340' }).getAttribute('href')).toBe(
    'tel:0731 12340',
  );

  await recall.press('h');
  const holding = page.getByRole('dialog', { name: `Charge ${LOT} sperren` });
  await holding.getByText('Tee', { exact: true }).waitFor();
  await holding.getByLabel('Grund').fill('Rückruf 17/2026');
  await screen.keepScreenshot('recall-hold');
  await recall.press('Enter');
  await recall.message(`Charge ${LOT} ist gesperrt.`).waitFor();
  await page.getByText(/^Gesperrt seit .*: Rückruf 17\/2026$/).waitFor();
  expect(await holds(organization)).toMatchObject([{ p1_id: tea, lot: LOT, reason: 'Rückruf 17/2026' }]);

  // The newest order comes first; one key notes that a customer is informed, and takes it back.
  await recall.press('j', 't', 'j', 't', 't');
  await page.getByText('1 von 3 informiert').waitFor();
  expect(await recall.tick('Carla Celan').isChecked()).toBe(true);
  expect(await recall.tick('Bodo Beck').isChecked()).toBe(false);
  const told = await eventually('the note of the server', async () => {
    const { data } = json<{ data: { order_id: string; told_at: string | null }[] }>(
      await organization.api('GET', `/lots/${LOT}/orders`),
    );
    return data.find(({ told_at: at }) => at !== null);
  });
  expect(told.order_id).toBe(orders[2]);

  // A colleague on another telephone.
  const clerk = await platform.person(organization.orgId, 'clerk');
  const own = { lot: LOT, p1_id: tea, told: true };
  expect((await clerk.org('PUT', `/orders/${orders[0]}/lots/told`, own)).status).toBe(200);
  await page.getByText('2 von 3 informiert').waitFor({ timeout: SOON_MS });

  await recall.press('p');
  await eventually('the list to be printed', () => Promise.resolve(printed() === 1));
  await screen.keepPaper('recall-paper');
  await page.emulateMedia({ media: 'print' });
  await screen.keepScreenshot('recall-paper');
  await page.emulateMedia({ media: 'screen' });
  await screen.keepScreenshot('recall-lot');
  const saving = page.waitForEvent('download');
  await recall.press('Shift+E');
  const rows = (await buffer(await (await saving).createReadStream())).toString().trimEnd().split('\r\n');
  expect(rows).toHaveLength(4);
  expect(rows[1]).toMatch(/Carla Celan/);

  await recall.press('h');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sperre aufheben' }).click();
  await recall.message(`Charge ${LOT} ist nicht mehr gesperrt.`).waitFor();
  expect(await holds(organization)).toEqual([]);
});

it("shows after a scan the orders of every product that has the lot, and filters them by a person's choice", async () => {
  const { organization, tea } = await newRecall();
  const small = { name: 'Tee klein', qty: 1, price: 2, p1_id: `${tea}-small` };
  const other = await newOrder(organization, 'Dora Dietz', { items: [small] });
  expect(
    (await organization.api('PUT', `/orders/${other}/lots`, { lots: [{ line: 1, lot: LOT, quantity: 1 }] }))
      .status,
  ).toBe(200);
  const pharmacist = await platform.person(organization.orgId, 'pharmacist');
  const screen = await openScreen();
  screen.faults.expect(/status of 404 /);
  const recall = await RecallScreen.openedBy(pharmacist, '/console/recall', screen);
  const { page } = recall;
  const wedge = await Wedge.of(page);
  await page.getByText('Keine Charge ist gesperrt.').waitFor();
  await wedge.scan(PACK, { gapMs: 20 });
  await recall.untilLot();
  await page.getByText('0 von 4 informiert · 7 Stück').waitFor();
  await recall.row('Dora Dietz').getByText('Tee klein').waitFor();
  // Nothing is chosen, so nobody is noted.
  await recall.press('t');
  await page.getByText('0 von 4 informiert · 7 Stück').waitFor();
  const products = page.getByRole('group', { name: 'Produkt' });
  await products.getByRole('button', { name: 'Tee klein' }).click();
  await page.getByText('0 von 1 informiert · 1 Stück').waitFor();
  await products.getByRole('button', { name: 'Alle Produkte' }).click();
  await page.getByText('0 von 4 informiert · 7 Stück').waitFor();
  // A text that cannot be a lot must not read as "nobody has it"; blanks of a copied text are one.
  await page.goto(`/console/recall?lot=${encodeURIComponent('CH\u200b4711')}`);
  await page.getByRole('alert').getByText('Eine Charge hat 1 bis 20 Zeichen').waitFor();
  await page.goto(`/console/recall?lot=${encodeURIComponent('ab\u00a0\u00a012')}`);
  await page.getByText('Kein Auftrag hat Packungen der Charge AB 12').waitFor();
});

it('is found by a typed lot, also from the palette, and lets a clerk inform and hold nothing', async () => {
  const { organization, tea } = await newRecall();
  await organization.api('POST', '/lots/holds', { p1_id: tea, lot: LOT, reason: 'Rückruf 17/2026' });
  const clerk = await platform.person(organization.orgId, 'clerk');
  const screen = await openScreen({ theme: 'dark', width: 390 });
  const recall = await RecallScreen.openedBy(clerk, '/console/orders', screen);
  const { page } = recall;
  await page.getByText('Anna Anders').first().waitFor();
  await recall.press('Control+k');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('ab12');
  await screen.keepScreenshot('recall-palette-narrow');
  await page.getByRole('menuitem', { name: 'In Rückruf suchen: ab12' }).click();
  await recall.untilLot();
  await page
    .getByText('Eine Charge sperren oder die Sperre aufheben dürfen nur Apotheker und Inhaber.')
    .waitFor();
  expect(await page.getByRole('button', { name: /^Sperre aufheben/ }).isDisabled()).toBe(true);
  await recall.press('h');
  expect((await page.getByRole('dialog').count()) + (await page.getByRole('alertdialog').count())).toBe(0);
  await recall.tick('Bodo Beck').click();
  await page.getByText('1 von 3 informiert').waitFor();
  await screen.keepScreenshot('recall-lot-narrow');

  await recall.press('Escape');
  await page.getByRole('link', { name: LOT, exact: true }).waitFor();
  await page.getByRole('cell', { name: 'Tee' }).waitFor();
  await screen.keepScreenshot('recall-start-narrow');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('ab12');
  await recall.press('Enter');
  await recall.untilLot();
  await recall.row('Anna Anders').waitFor();
  expect(page.url()).toMatch(/\/console\/recall\?lot=AB12$/);
});

it('keeps the lot of an erased customer, and names none', async () => {
  const { organization } = await newRecall();
  expect(
    (await organization.api('POST', '/customers/erase', { email: '2@kunden.example' })).status,
  ).toBeLessThan(300);
  const pharmacist = await platform.person(organization.orgId, 'pharmacist');
  const screen = await openScreen();
  const recall = await RecallScreen.openedBy(pharmacist, `/console/recall?lot=${LOT}`, screen);
  const erased = recall.row('Daten gelöscht');
  await erased.getByText(`Charge ${LOT}`).waitFor();
  expect(await erased.innerText()).not.toMatch(/Carla|0731|kunden/);
  await screen.keepScreenshot('recall-erased');
});

it('states that no order has a lot, what is wrong with a code, and that a list could not be loaded', async () => {
  const { organization, tea } = await newRecall();
  const pharmacist = await platform.person(organization.orgId, 'pharmacist');
  const screen = await openScreen();
  screen.faults.expect(/status of 404 /, /status of 500 /, /status of 503 /);
  const recall = await RecallScreen.openedBy(pharmacist, '/console/recall', screen);
  const { page } = recall;
  const wedge = await Wedge.of(page);
  const alarm = (title: string) => page.getByRole('alertdialog', { name: title });
  await page.locator('input:focus').waitFor();
  await wedge.scan(PACK.replace('AB12', 'ZZ99'));
  await page.getByText('Kein Auftrag hat Packungen der Charge ZZ99').waitFor();
  await wedge.scan('-01234562', { gapMs: 20 });
  await alarm('Unbekannter Code').getByText('-01234562').waitFor();
  await wedge.scan('-03752865');
  await alarm('Code nicht lesbar').waitFor();
  await recall.press('Escape');
  await alarm('Code nicht lesbar').waitFor({ state: 'detached' });
  // Of a lot that is typed alone, the product is chosen.
  await page.goto('/console/recall?lot=ZZ98');
  await page.getByText('Kein Auftrag hat Packungen der Charge ZZ98').waitFor();
  await recall.press('h');
  await page.getByRole('menuitem', { name: /^Tee/ }).click();
  await page.getByLabel('Grund').fill('Rückruf');
  await recall.press('Enter');
  await recall.message('Charge ZZ98 ist gesperrt.').waitFor();
  await recall.press('h');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sperre aufheben' }).click();
  await recall.message('Charge ZZ98 ist nicht mehr gesperrt.').waitFor();
  // A code of a product without a lot asks for it.
  await wedge.scan('-03752864', { gapMs: 20 });
  await page.getByText('Der Code nennt Tee, aber keine Charge.').waitFor();
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('unbekannt');
  await recall.press('Enter');
  await page.getByText('Kein Auftrag hat Packungen der Charge UNBEKANNT').waitFor();
  // Its hold is possible all the same.
  await recall.press('h');
  const holding = page.getByRole('dialog', { name: 'Charge UNBEKANNT sperren' });
  await holding.getByLabel('Grund').fill('Rückruf');
  await recall.press('Enter');
  await recall.message('Charge UNBEKANNT ist gesperrt.').waitFor();
  expect(await holds(organization)).toMatchObject([{ p1_id: tea, lot: 'UNBEKANNT' }]);

  await page.route(/\/lots\/AB12\/orders/, (route) => route.fulfill({ status: 503, body: '' }));
  await page.goto('/console/recall?lot=AB12');
  await page
    .getByRole('alert')
    .getByText('Der Server ist gerade nicht erreichbar.')
    .waitFor({ timeout: 60_000 });
}, 120_000);

it('gives a hint for a held lot on the page of the stock, and books it out', async () => {
  const { organization, tea } = await newRecall();
  await organization.api('POST', '/lots/holds', { p1_id: tea, lot: LOT, reason: 'Rückruf 17/2026' });
  const clerk = await platform.person(organization.orgId, 'clerk');
  const screen = await openScreen();
  const stock = await RecallScreen.openedBy(clerk, `/console/stock?id=${tea}`, screen);
  await stock.page.getByRole('link', { name: 'Rückruf' }).waitFor();
  await stock.page.getByRole('heading', { level: 1, name: 'Tee' }).waitFor();
  await stock.press('-');
  const wedge = await Wedge.of(stock.page);
  await stock.dialog.waitFor();
  await wedge.scan(PACK);
  await stock.dialog.getByText(`Charge ${LOT} ist gesperrt (Rückruf 17/2026).`).waitFor();
  await screen.keepScreenshot('stock-scan-held');
  await stock.press('Enter');
  await stock.message('Tee: Bestand ist 89.').waitFor();
});

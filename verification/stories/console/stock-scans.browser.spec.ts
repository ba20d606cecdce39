import type { Route } from 'playwright-core';
import { openAs, useScreens } from '@offizin/testkit/browser/screen';
import { Wedge } from '@offizin/testkit/browser/wedge';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { ListScreen } from './orders/list-screens';
import { countBeeps } from './orders/packing-station';

/** Stock by the scanner: packs that come in, that are written off, and that are counted. */
const openScreen = useScreens();
const platform = usePlatform();

const TEA = '-03752864';
const SALVE = '4006381333931';
const teaPack = (day: string, lot = 'AB12') => `]d2010415003752864321SNjkc\x1d17${day}10${lot}`;

interface Shelf {
  organization: TestOrganization;
  tea: string;
  salve: string;
}

/** Nine packs of tea and nine of salve, with the codes on them. */
async function newShelf(): Promise<Shelf> {
  const organization = await platform.organization();
  const [tea = '', salve = ''] = await platform.catalogProducts(2);
  for (const id of [tea, salve]) await organization.stock(id, 9);
  await organization.api('PUT', `/products/${tea}`, { name: 'Tee', pzn: '03752864' });
  await organization.api('PUT', `/products/${salve}`, { name: 'Salbe', codes: [SALVE] });
  return { organization, tea, salve };
}

async function stored({ organization }: Shelf, id: string): Promise<number> {
  const { data } = json<{ data: { stock_quantity: number }[] }>(
    await organization.api('GET', `/inventory?q=${id}`),
  );
  return data[0]?.stock_quantity ?? -1;
}

async function openShelf(person: TestPerson) {
  const screen = await openScreen();
  const beeped = await countBeeps(screen.page);
  await openAs(screen, person, '/console/stock');
  const stock = new ListScreen(screen, { list: 'Bestand', object: 'Produkt' });
  await stock.row('Tee').waitFor();
  const wedge = await Wedge.of(screen.page);
  const dialog = (title: string) => stock.page.getByRole('dialog', { name: title, exact: true });
  const alarm = (title: string) => stock.page.getByRole('alertdialog', { name: title });
  return { screen, stock, wedge, dialog, alarm, beeped };
}

it('opens the booking of a scanned pack, adds one with each further pack, and books when a person says so', async () => {
  const shelf = await newShelf();
  const clerk = await platform.person(shelf.organization.orgId, 'clerk');
  const { screen, stock, wedge, dialog, alarm } = await openShelf(clerk);
  const added = dialog('Zugang: Tee');
  const pieces = added.getByLabel('Zugang in Stück');
  const until = (count: number) => added.getByText(`Neuer Bestand: ${9 + count}.`).waitFor();

  await wedge.scan(teaPack('281231'));
  await until(1);
  await wedge.scan(TEA, { gapMs: 20, end: 'Tab' });
  await until(2);
  await wedge.scan('[)>\x1e06\x1d9N110375286414\x1d1TAB12\x1dD281231\x1dSSN77\x1e\x04', {
    gapMs: 20,
    end: 'CR LF',
  });
  await until(3);
  await wedge.scan('4150037528643', { end: 'Enter' });
  await until(4);
  await added.getByText('Gescannt: 4150037528643.').waitFor();
  expect(await stored(shelf, shelf.tea)).toBe(9);
  await screen.keepScreenshot('stock-scanned');

  // Another product, an unknown code, a wrong one: loud, and the count stays.
  for (const [code, title, text] of [
    [
      SALVE,
      'Anderes Produkt',
      `Salbe gehört nicht zur offenen Buchung von Tee und ist nicht gezählt (${SALVE}).`,
    ],
    ['-01234562', 'Unbekannter Code', '-01234562 gehört zu keinem Produkt Ihrer Apotheke.'],
    ['-03752865', 'Code nicht lesbar', 'Die Prüfziffer stimmt nicht. Gelesen: -03752865.'],
  ] as const) {
    await wedge.scan(code);
    await alarm(title).getByText(text).waitFor();
    await screen.keepScreenshot(`stock-scan-${title.replaceAll(' ', '-').toLowerCase()}`);
    await stock.press('Escape');
    await alarm(title).waitFor({ state: 'detached' });
  }
  await until(4);
  // The next code takes the place of an alarm.
  await wedge.scan('-01234562', { gapMs: 20 });
  await alarm('Unbekannter Code').waitFor();
  await wedge.scan(TEA, { gapMs: 20 });
  await until(5);
  expect(await alarm('Unbekannter Code').count()).toBe(0);

  // What is typed is a number of pieces; a code never is.
  await pieces.fill('12');
  await wedge.scan('03752864');
  await until(13);
  await stock.page.keyboard.type('0');
  await until(130);
  expect(await stored(shelf, shelf.tea)).toBe(9);
  await stock.press('Enter');
  await stock.message('Tee: Bestand ist 139.').waitFor();
  expect(await stored(shelf, shelf.tea)).toBe(139);
});

it('writes off an expired pack with a hint, and counts by scans, of the kind that a key names', async () => {
  const shelf = await newShelf();
  const clerk = await platform.person(shelf.organization.orgId, 'clerk');
  const { screen, stock, wedge, dialog } = await openShelf(clerk);
  await wedge.scan(teaPack('281231'));
  await dialog('Zugang: Tee').getByText('Neuer Bestand: 10.').waitFor();
  await stock.press('-');
  const removed = dialog('Abgang: Tee');
  await removed.getByText('Neuer Bestand: 8.').waitFor();
  await stock.press('Escape');
  await removed.waitFor({ state: 'detached' });

  // The kind that was booked last is the next scan's.
  await wedge.scan(SALVE);
  await dialog('Abgang: Salbe').getByText('Neuer Bestand: 8.').waitFor();
  await stock.press('Enter');
  await stock.message('Salbe: Bestand ist 8.').waitFor();
  await stock.row('Tee').click();
  await stock.untilOpen('Tee');
  await stock.press('-');
  await removed.waitFor();
  await removed.getByLabel('Abgang in Stück').fill('');
  await wedge.scan(teaPack('200131'), { gapMs: 20 });
  await removed.getByText('Eine Packung war nur bis zum 31.01.2020 haltbar.').waitFor();
  await removed.getByText('Neuer Bestand: 8.').waitFor();
  await removed.getByRole('combobox', { name: 'Grund' }).getByText('Verfall').waitFor();
  await screen.keepScreenshot('stock-scan-expired');
  await stock.press('Enter');
  await stock.message('Tee: Bestand ist 8.').waitFor();
  await stock.detail.getByText('Verfall, danach 8').waitFor();

  await stock.press('c');
  const counted = dialog('Zählung: Tee');
  await counted.waitFor();
  for (const gapMs of [2, 20, 2]) await wedge.scan(teaPack('281231'), { gapMs });
  await counted.getByText('Neuer Bestand: 3.').waitFor();
  await stock.page.setViewportSize({ width: 390, height: 844 });
  await stock.page.emulateMedia({ colorScheme: 'dark' });
  await screen.keepScreenshot('stock-scan-counted-narrow');
  await stock.press('Enter');
  await stock.message('Tee: Bestand ist 3.').waitFor();
  expect([await stored(shelf, shelf.tea), await stored(shelf, shelf.salve)]).toEqual([3, 8]);
});

it('sounds the alarm for a held or expired pack that comes in, and keeps the hints until the packs are booked', async () => {
  const shelf = await newShelf();
  const { organization, tea } = shelf;
  await organization.api('POST', '/lots/holds', { p1_id: tea, lot: 'AB12', reason: 'Glassplitter' });
  const clerk = await platform.person(organization.orgId, 'clerk');
  const { screen, stock, wedge, dialog, beeped } = await openShelf(clerk);
  const untilBeeped = (count: number) =>
    eventually(`${count} beeps`, () => Promise.resolve(beeped() === count));
  const added = dialog('Zugang: Tee');
  screen.faults.expect(/status of 500 /);
  await stock.page.route(/\/lots\/holds$/, (route) => route.fulfill({ status: 500, body: '' }));
  await wedge.scan(teaPack('281231', 'AB13'));
  const unread = 'Die gesperrten Chargen sind gerade nicht lesbar.';
  await added.getByText(unread).waitFor();
  await untilBeeped(1);
  await stock.page.unroute(/\/lots\/holds$/);

  const held = 'Charge AB12 ist gesperrt (Glassplitter). 2 Packungen dürfen nicht ins Paket.';
  const expired = 'Eine Packung war nur bis zum 31.01.2020 haltbar.';
  for (const [code, beeps] of [
    [teaPack('281231'), 4],
    [teaPack('200131', 'AB13'), 7],
    [teaPack('281231'), 10],
    [teaPack('281231', 'AB13'), 11],
  ] as const) {
    await wedge.scan(code, { gapMs: 20 });
    await untilBeeped(beeps);
  }
  await added.getByText('Neuer Bestand: 14.').waitFor();
  await screen.keepScreenshot('stock-scan-hints');
  await stock.press('Escape');
  await added.waitFor({ state: 'detached' });
  await stock.press('+');
  for (const hint of [unread, held, expired]) await added.getByText(hint).waitFor();
  await stock.press('Enter');
  await stock.message('Tee: Bestand ist 14.').waitFor();

  // A pack that goes out has its hint without an alarm, and those before have left with their booking.
  await stock.press('-');
  const removed = dialog('Abgang: Tee');
  await removed.waitFor();
  await wedge.scan(teaPack('281231'));
  await removed
    .getByText('Charge AB12 ist gesperrt (Glassplitter). Eine Packung darf nicht ins Paket.')
    .waitFor();
  await untilBeeped(12);
  expect(await removed.getByText(expired).count()).toBe(0);
});

it('books scanned packs once when the answer was lost and the booking is sent again', async () => {
  const shelf = await newShelf();
  const clerk = await platform.person(shelf.organization.orgId, 'clerk');
  const { screen, stock, wedge, dialog } = await openShelf(clerk);
  screen.faults.expect(/status of 503 /);
  const added = dialog('Zugang: Tee');
  for (const count of [1, 2]) {
    await wedge.scan(TEA, { gapMs: 20 });
    await added.getByText(`Neuer Bestand: ${9 + count}.`).waitFor();
  }
  const loseAnswer = async (route: Route) => {
    await route.fetch();
    await route.fulfill({ status: 503, body: '' });
  };
  await stock.page.route(/\/inventory\/adjust$/, loseAnswer, { times: 1 });
  await stock.press('Enter');
  await added.getByRole('alert').getByText('Der Server ist gerade nicht erreichbar.').waitFor();
  await added.getByText('Bestand jetzt: 11.').waitFor();
  await stock.press('Escape');
  await added.waitFor({ state: 'detached' });
  await stock.press('+');
  expect(await added.getByLabel('Zugang in Stück').inputValue()).toBe('2');
  await stock.press('Enter');
  await stock.message('Tee: Bestand ist 11.').waitFor();
  expect(await stored(shelf, shelf.tea)).toBe(11);
});

it('takes no key of a scan for a command or for what a field is for, and no key of a person for a scan', async () => {
  const shelf = await newShelf();
  const clerk = await platform.person(shelf.organization.orgId, 'clerk');
  const { stock, wedge, dialog, alarm } = await openShelf(clerk);
  await stock.row('Salbe').click();
  await stock.untilOpen('Salbe');
  // Letters that are commands of the page: count, threshold, next, help.
  for (const [code, gapMs] of [
    ['ctj?kc', 2],
    ['tcjgop-+', 20],
  ] as const) {
    await wedge.scan(code, { gapMs });
    await alarm('Unbekannter Code').getByText(code).waitFor();
    await stock.press('Escape');
  }
  expect(await stock.page.getByRole('dialog').count()).toBe(0);
  expect(stock.page.url()).toMatch(/\/console\/stock\?id=/);

  await stock.press('t');
  const threshold = stock.detail.getByLabel('Meldegrenze', { exact: true });
  const before = await threshold.inputValue();
  await wedge.scan(SALVE, { end: 'Enter' });
  const added = dialog('Zugang: Salbe');
  await added.getByText('Neuer Bestand: 10.').waitFor();
  expect(await threshold.inputValue()).toBe(before);

  // The number of a delivery note belongs there; a pack does not, and neither books.
  await added.getByLabel('Referenz').click();
  await wedge.scan('LS-2026-0815', { gapMs: 20 });
  expect(await added.getByLabel('Referenz').inputValue()).toBe('LS-2026-0815');
  await wedge.scan(SALVE, { gapMs: 20 });
  await added.getByText('Neuer Bestand: 11.').waitFor();
  expect(await added.getByLabel('Referenz').inputValue()).toBe('LS-2026-0815');
  expect(await stored(shelf, shelf.salve)).toBe(9);
  await stock.press('Escape');
  await added.waitFor({ state: 'detached' });
  await stock.detail.getByRole('heading', { level: 1 }).click();
  // Two keys of a person who is quick.
  await stock.page.keyboard.type('go', { delay: 20 });
  await stock.page.waitForURL(/\/console\/orders/);
});

it('opens the product of a scanned pack for a person who may not book', async () => {
  const shelf = await newShelf();
  const pharmacist = await platform.person(shelf.organization.orgId, 'pharmacist');
  const { stock, wedge } = await openShelf(pharmacist);
  await wedge.scan(teaPack('281231'), { gapMs: 20 });
  await stock.untilOpen('Tee');
  expect(await stock.page.getByRole('dialog').count()).toBe(0);
});

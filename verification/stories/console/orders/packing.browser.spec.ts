import { openAs, useScreens } from '@offizin/testkit/browser/screen';
import { Wedge } from '@offizin/testkit/browser/wedge';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { usePlatform } from '@offizin/testkit/platform';
import { newOrder, untilOrder } from './list-screens';
import { narrowAndDark, Station, toPack } from './packing-station';
import { withoutUndo } from '../requests/review-screen';

/** The packing station: a scanner, counting by hand, and what happens when two people work on one order. */
const openScreen = useScreens();
const platform = usePlatform();

const BEDIOL = { name: 'Bediol', qty: 2, price: 9.5, p1_id: 'BED-1' };
const VAPORIZER = { name: 'Vaporizer', qty: 1, price: 99, p1_id: 'VAP-2' };

/** In the page. */
interface KeyDown {
  key: string;
  defaultPrevented: boolean;
}
declare const document: {
  addEventListener: (type: 'keydown', on: (event: KeyDown) => void, isCapture: boolean) => void;
};
declare const window: { passed: string[] };

it('packs by scanner, the oldest order first; a wrong product shouts and is not counted', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await withoutUndo(clerk);
  const first = await toPack(organization, 'Anna Anders', [BEDIOL, VAPORIZER]);
  const second = await toPack(organization, 'Bodo Beck', [{ name: 'Beratung', qty: 3, price: 1 }]);
  await clerk.org('POST', `/orders/${first}/notes`, { text: 'Geschenkpapier' });
  const station = await Station.openedBy(await openScreen(), clerk);
  await station.untilOpen('Anna Anders');
  await station.order.getByText('Geschenkpapier').waitFor();
  await station.scan('bed-1');
  await station.order.getByText('Bediol: 1 von 2 (bed-1)').waitFor();
  await eventually('one beep', () => Promise.resolve(station.beeped() === 1));

  // As slow as a person types: no letter acts as a key.
  await station.scan('gozja-77', 140);
  await station.warning('Falsches Produkt').getByText('gozja-77 gehört nicht zu diesem Auftrag.').waitFor();
  await eventually('the alarm to sound', () => Promise.resolve(station.beeped() === 4));
  await station.order.getByText('1 von 2', { exact: true }).waitFor();
  await station.screen.keepScreenshot('packing-wrong');
  await station.scan('VAP-2');
  await station.order.getByText('Vaporizer: 1 von 1').waitFor();
  await station.order.getByText('Eine Position fehlt noch.').waitFor();
  await station.screen.press('Shift+Enter');
  await station.scan('BED-1');
  await station.scan('BED-1');
  await station.warning('Zu viel').getByText('Bediol ist schon vollständig im Paket.').waitFor();
  expect(await station.done.isEnabled()).toBe(false);
  await station.screen.press('Escape');
  await station.done.waitFor();
  await station.screen.keepScreenshot('packing-complete');

  await station.screen.press('Shift+Enter');
  await station.untilOpen('Bodo Beck');
  await untilOrder(organization, first, 'shipped');
  await station.page.getByText(/: Packzettel gedruckt\?/).waitFor();
  await station.screen.keepScreenshot('packing-printed');
  await station.page.getByRole('button', { name: 'Ja, im Verlauf vermerken' }).click();
  await eventually('the slip and the parcel to be noted', async () => {
    const { notes } = json<{ notes: { kind: string }[] }>(
      await clerk.org('GET', `/pipeline/orders/${first}`),
    );
    const kinds = notes.map(({ kind }) => kind).sort();
    return kinds.join() === 'note,packed,slip_printed' && station.printed() === 1;
  });

  // Without a product number: by hand.
  await station.screen.press('Shift+ArrowUp');
  await station.order.getByText('1 von 3').waitFor();
  await station.screen.press('Shift+ArrowDown');
  await station.order.getByText('0 von 3').waitFor();
  await station.screen.press('Shift+ArrowRight');
  await station.order.getByText('3 von 3').waitFor();
  await station.done.click();
  await station.page.getByText('Alles gepackt').waitFor();
  await untilOrder(organization, second, 'shipped');

  // No order is shown, and the characters are still no keys of the page.
  await station.scan('BED-1');
  const stray = station.page.getByRole('alert').filter({ hasText: 'Nicht gezählt' });
  await stray.waitFor();
  await station.screen.keepScreenshot('packing-stray');
  await station.screen.press('Escape');
  await stray.waitFor({ state: 'hidden' });
});

it('packs by the codes on the packs, however the scanner sends them', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const [tea = '', salve = ''] = await platform.catalogProducts(2);
  for (const id of [tea, salve]) await organization.stock(id, 9);
  await organization.api('PUT', `/products/${tea}`, { pzn: '3752864' });
  await organization.api('PUT', `/products/${salve}`, { name: 'Salbe', codes: ['4006381333931'] });
  await toPack(organization, 'Anna Anders', [{ name: 'Tee', qty: 9, price: 4.5, p1_id: tea }]);
  const station = await Station.openedBy(await openScreen(), clerk);
  await station.untilOpen('Anna Anders');
  const { wedge, page } = station;
  const until = (count: number) => station.order.getByText(`${count} von 9`, { exact: true }).waitFor();
  const pack = (day: string) => `]d2010415003752864321SN77\x1d17${day}10AB12`;
  const ifa = '[)>\x1e06\x1d9N110375286414\x1d1TAB12\x1dD281231\x1dSSN77\x1e\x04';

  // Without an end, as long as no code came with one.
  await wedge.scan('-03752864', { end: 'none' });
  await until(1);
  await wedge.scan(']A0-3752864', { end: 'Enter' });
  await until(2);
  await wedge.scan(pack('281231'), { gapMs: 20, end: 'Tab' });
  await until(3);
  await wedge.scan(pack('281200'), { separator: 'F8' });
  await until(4);
  await wedge.scan(pack('281231'), { separator: 'Alt 029', end: 'Tab' });
  await until(5);
  await wedge.scan(ifa, { gapMs: 20 });
  await until(6);
  await wedge.scan('4150037528643', { end: 'CR LF' });
  await until(7);
  // Typed by hand.
  await page.keyboard.type('03752864', { delay: 120 });
  await page.keyboard.press('Enter');
  await until(8);

  for (const [text, title, why] of [
    [pack('200131'), 'Verfallen', 'Tee war nur bis zum 31.01.2020 haltbar.'],
    ['4006381333931', 'Falsches Produkt', 'Salbe gehört nicht zu diesem Auftrag'],
    ['-01234562', 'Falsches Produkt', '-01234562 gehört nicht zu diesem Auftrag.'],
    ['-03752865', 'Code nicht lesbar', 'Die Prüfziffer stimmt nicht. Gelesen: -03752865.'],
    ['ß03752864', 'Code nicht lesbar', 'Scanner und Gerät sind auf verschiedene Tastaturen eingestellt'],
    [ifa.slice(0, 30), 'Code nicht lesbar', 'Das Ende des Codes fehlt. Gelesen: [)>␞06␝9N110375286414␝'],
  ] as const) {
    await wedge.scan(text);
    await station.warning(title).getByText(why).waitFor();
    await station.screen.press('Escape');
  }
  await until(8);
  await wedge.scan(pack('200131'));
  await station.warning('Verfallen').waitFor();
  await station.screen.keepScreenshot('packing-expired');
  await narrowAndDark(page);
  await station.screen.keepScreenshot('packing-expired-narrow');
});

it('learns the keyboard of the scanner from one code, which the device keeps, and takes typed codes as they are', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const [tea = ''] = await platform.catalogProducts(1);
  await organization.stock(tea, 9);
  await organization.api('PUT', `/products/${tea}`, { pzn: '3752864' });
  await toPack(organization, 'Anna Anders', [{ name: 'Tee', qty: 9, price: 4.5, p1_id: tea }]);
  const station = await Station.openedBy(await openScreen(), clerk);
  await station.untilOpen('Anna Anders');
  const { wedge, page, screen } = station;
  const until = (count: number) => station.order.getByText(`${count} von 9`, { exact: true }).waitFor();
  const dialog = page.getByRole('dialog', { name: 'Scanner einrichten' });

  await wedge.scan('ß03752864');
  await station.warning('Code nicht lesbar').getByText('oben unter „Scanner“ ein').waitFor();
  await screen.press('Escape');
  await page.getByRole('button', { name: 'Scanner', exact: true }).click();
  await dialog.getByText('Noch nicht eingerichtet.').waitFor();
  await dialog.getByLabel('Hier scannen').and(page.locator(':focus')).waitFor();
  await wedge.scan('ß03752864', { end: 'Tab' });
  await dialog.getByRole('alert').getByText('Gelesen: ß03752864.').waitFor();
  expect(station.beeped()).toBe(6);
  // As a scanner for a US keyboard writes the code at a German device.
  await wedge.scan('+d1AQMWZYzyß?-§öÖ0189', { gapMs: 20, end: 'CR LF' });
  await dialog.getByText('Eingerichtet: Der Scanner tippt auf einer US-Tastatur').waitFor();
  await dialog.getByRole('alert').waitFor({ state: 'detached' });
  await screen.keepScreenshot('packing-scanner');
  await page.emulateMedia({ media: 'print' });
  await screen.keepScreenshot('packing-scanner-paper');
  await page.emulateMedia({ media: 'screen' });
  await dialog.getByLabel('Hier scannen').click();
  await narrowAndDark(page);
  await screen.keepScreenshot('packing-scanner-narrow');
  await screen.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await wedge.scan('ß03752864');
  await until(1);

  await page.reload();
  await station.untilOpen('Anna Anders');
  await wedge.scan('+d201041500375286431728123110AYß');
  await station.order.getByText('Tee: 2 von 9 (]d201041500375286431728123110AZ-)').waitFor();
  await page.keyboard.type('-03752864', { delay: 120 });
  await page.keyboard.press('Enter');
  await until(3);
});

it('takes no key of a scan for one of a page or of the browser, wherever it arrives', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const id = await newOrder(organization, 'Anna Anders');
  const screen = await openScreen();
  const { page } = screen;
  await page.addInitScript(() => {
    window.passed = [];
    const note = (event: KeyDown) => {
      // When all listeners have had it.
      setTimeout(() => {
        if (!event.defaultPrevented && event.key !== 'Control') window.passed.push(event.key);
      });
    };
    document.addEventListener('keydown', note, true);
  });
  const keysPassed = () =>
    page.evaluate(() => new Promise<string[]>((done) => setTimeout(() => done(window.passed.splice(0)))));
  await openAs(screen, clerk, `/console/orders?id=${id}`);
  const wedge = await Wedge.of(page);
  const button = page
    .getByRole('region', { name: 'Auftrag', exact: true })
    .getByRole('button', { name: /^Notiz/ });
  await button.focus();
  const address = page.url();
  // Letters that are commands, a separator, and characters of IFA's form.
  const codes = [
    ']d2010415003752864321spnltx\x1d10gkj',
    '[)>\x1e06\x1d9N110375286414\x1d1Tspn\x1e\x04',
    '4006381333931',
  ];
  for (const code of codes)
    for (const [gapMs, end] of [
      [2, 'Enter'],
      [20, 'Tab'],
      [2, 'CR LF'],
    ] as const) {
      await wedge.scan(code, { gapMs, end });
      expect([code, end, await keysPassed()]).toEqual([code, end, []]);
    }
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(page.url()).toBe(address);
  await button.and(page.locator(':focus')).waitFor();

  // A field gets the characters; the rest is not the browser's.
  await screen.press('/');
  await page.locator('input:focus').waitFor();
  await keysPassed();
  await wedge.scan(']d20104150037528643\x1d10AB\x1e\x04', { end: 'none' });
  expect(await page.locator('input:focus').inputValue()).toBe(']d2010415003752864310AB');
  expect((await keysPassed()).join('')).toBe(']d2010415003752864310AB');
  // Those of a person act as ever.
  await screen.press('Escape');
  await button.focus();
  await screen.press('n');
  await page.getByRole('dialog').waitFor();
});

it('states that no code arrived, is silent when it shall be, and takes no letter for a key', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await toPack(organization, 'Anna Anders', [BEDIOL]);
  await toPack(organization, 'Bodo Beck', [BEDIOL]);
  const station = await Station.openedBy(await openScreen(), clerk);
  await station.untilOpen('Anna Anders');
  await station.page.getByRole('button', { name: 'Töne' }).press(' ');
  await station.page.keyboard.type('BED');
  await station.page.keyboard.press('Control+]');
  await station.scan('-1');
  await station.warning('Code nicht lesbar').waitFor();
  await station.screen.press('Escape');
  await station.screen.press('Enter');
  await station.warning('Code nicht lesbar').waitFor();
  await station.page.reload();
  await station.untilOpen('Anna Anders');
  await station.scan('Größe');
  await station.warning('Falsches Produkt').getByText('Größe gehört nicht').waitFor();
  expect(station.beeped()).toBe(0);
  const code = station.page.getByLabel('Produktcode');
  await station.page.keyboard.type('agok');
  expect(await code.inputValue()).toBe('agok');
  await station.screen.press('Escape');
  expect(await code.inputValue()).toBe('');
  await station.screen.press('PageDown');
  await station.untilOpen('Bodo Beck');
  expect(station.page.url()).toContain('/console/orders/pack');
  // A pointer has pressed a button: the Enter of a scanner does not press it again.
  await station.order.getByRole('button', { name: 'Eins mehr: Bediol' }).click();
  await station.screen.press('Enter');
  await station.warning('Code nicht lesbar').waitFor();
  await station.order.getByText('1 von 2', { exact: true }).waitFor();
});

it('states when the order has changed while it is packed, and packs no version that nobody has seen', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const colleague = await platform.person(organization.orgId, 'clerk');
  await clerk.call('PUT', '/api/me', { undo_seconds: 10 });
  const id = await toPack(organization, 'Anna Anders', [BEDIOL]);
  const station = await Station.openedBy(await openScreen(), clerk);
  station.screen.faults.expect(/status of 412 /);
  await station.untilOpen('Anna Anders');
  await station.scan('BED-1');
  await station.order.getByText('Bediol: 1 von 2').waitFor();
  await organization.api('PUT', `/orders/${id}`, { items: [BEDIOL, VAPORIZER] });
  const changed = station.warning('Der Auftrag hat sich geändert, während Sie packen');
  await changed.getByRole('cell', { name: '2 × Bediol, 1 × Vaporizer' }).waitFor();
  await station.scan('BED-1');
  await station.warning('Nicht gezählt').waitFor();
  await changed.getByRole('button', { name: 'Neuen Stand übernehmen' }).click();
  await station.order.getByText('1 von 2', { exact: true }).waitFor();
  await station.scan('BED-1');
  await station.scan('VAP-2');
  await station.done.click();

  // Held for as long as it can be; a colleague is faster.
  await station.page.getByText('Anna Anders: gepackt, wird „Versendet“').waitFor();
  await colleague.org('PATCH', `/orders/${id}/status`, { status: 'completed' });
  await station.page.getByRole('button', { name: 'Unterschiede zeigen' }).click({ timeout: 20_000 });
  await changed.getByRole('row', { name: 'Status Zu packen Abgeschlossen' }).waitFor();
  await station.order.getByText('Nicht mehr zu packen. Status: Abgeschlossen.').waitFor();
  await station.screen.keepScreenshot('packing-changed');
}, 60_000);

it('ends the message that somebody was faster when the order is packed after all', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await clerk.call('PUT', '/api/me', { undo_seconds: 3 });
  const id = await toPack(organization, 'Anna Anders', [VAPORIZER]);
  const station = await Station.openedBy(await openScreen(), clerk);
  station.screen.faults.expect(/status of 412 /);
  await station.untilOpen('Anna Anders');
  await station.scan('VAP-2');
  await station.done.click();
  await station.page.getByText('Anna Anders: gepackt, wird „Versendet“').waitFor();
  await organization.api('PUT', `/orders/${id}`, { items: [{ ...VAPORIZER, qty: 2 }] });
  const differences = station.page.getByRole('button', { name: 'Unterschiede zeigen' });
  await differences.waitFor({ timeout: 20_000 });
  await station.order.getByRole('button', { name: 'Neuen Stand übernehmen' }).click();
  await station.scan('VAP-2');
  await station.done.click();
  await untilOrder(organization, id, 'shipped');
  await differences.waitFor({ state: 'detached' });
}, 60_000);

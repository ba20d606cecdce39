import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { holdFor, withoutUndo } from '../requests/review-screen';
import { newOrder, OrdersScreen, storedOrder, untilOrder } from './list-screens';
import { narrowAndDark, Station, toPack } from './packing-station';

/** The lots of packs: taken along from the code or typed, written when the order is packed, shown with the order. */
const openScreen = useScreens();
const platform = usePlatform();

const pack = (lot: string, day = '281231') => `]d2010415003752864321SN77\x1d17${day}10${lot}`;

/** A tea with the PZN that `pack` has. */
async function teaOf(organization: TestOrganization, qty: number) {
  const [p1_id = ''] = await platform.catalogProducts(1);
  await organization.stock(p1_id, 99);
  await organization.api('PUT', `/products/${p1_id}`, { pzn: '3752864' });
  return { name: 'Tee', qty, price: 4.5, p1_id };
}

interface Lot {
  line: number | null;
  lot: string;
  expires_on: string | null;
  test_number: string | null;
  quantity: number;
}

/** As texts, such as `1: 2 × AB1`. */
async function lotsOf(organization: TestOrganization, id: string): Promise<string[]> {
  const { lots } = json<{ lots: Lot[] }>(await organization.api('GET', `/orders/${id}`));
  return lots.map(({ line, quantity, lot, expires_on: day, test_number: test }) =>
    [`${line}: ${quantity} × ${lot}`, day, test].filter(Boolean).join(' '),
  );
}

const untilLots = (organization: TestOrganization, id: string, lots: string[]) =>
  eventually(`the lots ${lots.join(', ')}`, async () => {
    return (await lotsOf(organization, id)).join() === lots.join();
  });

function heldLot(organization: TestOrganization, p1_id: string, lot: string) {
  return organization.api('POST', '/lots/holds', { p1_id, lot, reason: 'Glassplitter' });
}

const untilCounted = (station: Station, text: string) =>
  station.order.getByText(text, { exact: true }).waitFor();

it('takes the lot of each pack along, but no expired pack and none on hold, and writes them with the packed order', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await withoutUndo(clerk);
  const tea = await teaOf(organization, 4);
  const id = await toPack(organization, 'Anna Anders', [tea]);
  const station = await Station.openedBy(await openScreen({ width: 1440 }), clerk);
  await station.untilOpen('Anna Anders');
  const { wedge, screen, order } = station;
  // Known as soon as it is put on hold, and without a scan.
  const { id: holdId } = json<{ id: string }>(await heldLot(organization, tea.p1_id, 'CH-GLAS'));
  const hint = order.getByText('Nicht packen, gesperrte Charge: CH-GLAS (Glassplitter)');
  await hint.waitFor();

  await wedge.scan(pack('ab1'));
  await order.getByText('1 × Charge AB1 · bis 31.12.2028').waitFor();
  await wedge.scan(pack('AB1'), { gapMs: 20, end: 'Tab' });
  await order.getByText('2 × Charge AB1 · bis 31.12.2028').waitFor();
  await eventually('two beeps', () => Promise.resolve(station.beeped() === 2));
  await wedge.scan(pack('ch-glas'));
  await station
    .warning('Gesperrte Charge')
    .getByText('Tee: Charge CH-GLAS ist gesperrt (Glassplitter). Diese Packung darf nicht ins Paket.')
    .waitFor();
  await eventually('the alarm to sound', () => Promise.resolve(station.beeped() === 5));
  await untilCounted(station, '2 von 4');
  await screen.keepScreenshot('lots-held');
  await screen.press('Escape');
  await wedge.scan(pack('AB1', '200131'));
  await station.warning('Verfallen').getByText('Tee war nur bis zum 31.01.2020 haltbar.').waitFor();
  await eventually('the alarm to sound', () => Promise.resolve(station.beeped() === 8));
  await untilCounted(station, '2 von 4');
  await screen.press('Escape');

  // Lifted while somebody packs: known after the next change of an order.
  await organization.api('DELETE', `/lots/holds/${holdId}`);
  await newOrder(organization, 'Bodo Beck');
  await hint.waitFor({ state: 'detached' });
  await wedge.scan(pack('CH-GLAS'));
  await untilCounted(station, '3 von 4');
  await screen.press('Shift+ArrowUp');
  await order.getByText('1 ohne Charge').waitFor();
  await order.getByText('Bei einer Position fehlt eine Charge.').waitFor();
  await screen.keepScreenshot('lots-packed');
  await narrowAndDark(station.page);
  await screen.keepScreenshot('lots-packed-narrow');
  expect(await lotsOf(organization, id)).toEqual([]);

  // The piece that came last goes first; then the one before, with its lot.
  await screen.press('Shift+ArrowDown', 'Shift+ArrowDown');
  await order.getByText('Charge CH-GLAS').waitFor({ state: 'detached' });
  await wedge.scan(pack('AB2', '280600'));
  await screen.press('Shift+ArrowUp', 'Shift+Enter');
  await untilOrder(organization, id, 'shipped');
  expect(await lotsOf(organization, id)).toEqual(['1: 2 × AB1 2028-12-31', '1: 1 × AB2 2028-06-30']);
  await eventually('the slip to be printed', () => Promise.resolve(station.printed() === 1));
});

it('takes no lot that was put on hold between its scan and the end of packing', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await withoutUndo(clerk);
  const tea = await teaOf(organization, 1);
  const id = await toPack(organization, 'Anna Anders', [tea]);
  const station = await Station.openedBy(await openScreen(), clerk);
  station.screen.faults.expect(/status of 409 /);
  await station.untilOpen('Anna Anders');
  const { wedge, screen, order } = station;
  await wedge.scan(pack('AB1'));
  await order.getByText('1 × Charge AB1').waitFor();
  // The news do not arrive.
  const news = await screen.holdCalls(/\/lots\/holds$/);
  await heldLot(organization, tea.p1_id, 'AB1');
  await station.done.click();
  await news.untilAsked;
  news.release();
  await station.warning('Gesperrte Charge').getByText('Charge AB1 ist gesperrt (Glassplitter)').waitFor();
  await screen.press('Escape');
  await order.getByText('Charge AB1 wurde inzwischen gesperrt (Glassplitter)').waitFor();
  await screen.keepScreenshot('lots-held-late');
  expect(await lotsOf(organization, id)).toEqual([]);
  await screen.press('Shift+ArrowDown');
  await wedge.scan(pack('AB2'));
  await screen.press('Shift+Enter');
  await untilOrder(organization, id, 'shipped');
  expect(await lotsOf(organization, id)).toEqual(['1: 1 × AB2 2028-12-31']);
});

it('lets no lot go out that the order had before and that is on hold now, until a person removes it', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await withoutUndo(clerk);
  const tea = await teaOf(organization, 1);
  const id = await toPack(organization, 'Anna Anders', [tea]);
  await organization.api('PUT', `/orders/${id}/lots`, { lots: [{ line: 1, lot: 'ALT-1', quantity: 1 }] });
  const station = await Station.openedBy(await openScreen(), clerk);
  await station.untilOpen('Anna Anders');
  const { screen, order } = station;
  await order.getByText('1 × Charge ALT-1').waitFor();
  await screen.press('Shift+ArrowUp');
  await untilCounted(station, '1 von 1');
  // The news do not arrive.
  const news = await screen.holdCalls(/\/lots\/holds$/);
  await heldLot(organization, tea.p1_id, 'ALT-1');
  await station.done.click();
  await news.untilAsked;
  news.release();
  await station.warning('Gesperrte Charge').getByText('Charge ALT-1 ist gesperrt (Glassplitter)').waitFor();
  await screen.press('Escape');
  await order.getByText('Charge ALT-1 wurde inzwischen gesperrt (Glassplitter)').waitFor();
  await screen.keepScreenshot('lots-held-before');
  expect(await storedOrder(organization, id)).toMatchObject({ status: 'awaiting_packing' });
  const remove = order.getByRole('button', { name: 'Charge ALT-1 entfernen: Tee' });
  await remove.click();
  await remove.waitFor({ state: 'detached' });
  // It stays removed, also with a newer version of the order.
  await station.page.reload();
  await station.untilOpen('Anna Anders');
  await untilCounted(station, '1 von 1');
  await order.getByText('1 ohne Charge').waitFor();
  await organization.api('PUT', `/orders/${id}`, { items: [tea, { name: 'Rezeptur', qty: 1, price: 20 }] });
  await order.getByRole('button', { name: 'Neuen Stand übernehmen' }).click();
  await untilCounted(station, '0 von 1');
  await untilCounted(station, '1 von 1');
  expect(await remove.count()).toBe(0);
  await screen.press('ArrowDown', 'Shift+ArrowUp', 'Shift+Enter');
  await untilOrder(organization, id, 'shipped');
  expect(await lotsOf(organization, id)).toEqual([]);
});

it('takes a typed lot with its test number where the tin has no code', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await withoutUndo(clerk);
  const bediol = { name: 'Bediol', qty: 15, price: 9.5, p1_id: 'BED-1' };
  const id = await toPack(organization, 'Anna Anders', [bediol, { name: 'Rezeptur', qty: 1, price: 20 }]);
  await heldLot(organization, 'BED-1', 'F-HELD');
  const station = await Station.openedBy(await openScreen({ width: 1440 }), clerk);
  await station.untilOpen('Anna Anders');
  const { screen, order, page } = station;
  await order.getByText('Nicht packen, gesperrte Charge: F-HELD (Glassplitter)').waitFor();
  const dialog = page.getByRole('dialog', { name: 'Charge erfassen: Bediol' });
  await screen.press('F4');
  await dialog.getByLabel('Charge', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('f-held');
  await screen.press('Enter');
  await dialog.getByRole('alert').getByText('Charge F-HELD ist gesperrt (Glassplitter).').waitFor();
  await eventually('the alarm to sound', () => Promise.resolve(station.beeped() === 3));
  await screen.keepScreenshot('lots-typed-held');
  await dialog.getByLabel('Charge', { exact: true }).fill('f  0815');
  await screen.press('Enter');
  await dialog.getByText('Eine Charge hat 1 bis 20 Zeichen').waitFor();
  await dialog.getByLabel('Charge', { exact: true }).fill('f-0815');
  await dialog.getByLabel('Prüfnummer (freiwillig)').fill('P-7');
  await dialog.getByLabel('Verfalldatum (freiwillig)').fill('2020-01-31');
  await screen.press('Enter');
  await dialog.getByRole('alert').getByText('nur bis zum 31.01.2020 haltbar').waitFor();
  await dialog.getByLabel('Verfalldatum (freiwillig)').fill('2028-01-31');
  await dialog.getByLabel('Menge (höchstens 15)').fill('16');
  await screen.press('Enter');
  await dialog.getByText('Bitte eine ganze Zahl von 1 bis 15.').waitFor();
  await narrowAndDark(page);
  await screen.keepScreenshot('lots-typed-narrow');
  await dialog.getByLabel('Menge (höchstens 15)').fill('10');
  await screen.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await order.getByText('10 × Charge F-0815 · bis 31.01.2028 · Prüfnummer P-7').waitFor();
  await untilCounted(station, '10 von 15');
  await screen.press('Shift+ArrowRight');
  await order.getByText('5 ohne Charge').waitFor();
  await screen.press('F4');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('F-0816');
  await screen.press('Enter');
  await order.getByText('5 × Charge F-0816').waitFor();
  // One lot too many, taken off again; its pieces stay.
  await order.getByRole('button', { name: 'Charge F-0816 entfernen: Bediol' }).click();
  await order.getByText('5 ohne Charge').waitFor();
  await screen.press('ArrowDown', 'Shift+ArrowRight');
  await order.getByText('Bei 2 Positionen fehlen Chargen.').waitFor();
  await screen.press('Shift+Enter');
  await untilOrder(organization, id, 'shipped');
  expect(await lotsOf(organization, id)).toEqual(['1: 10 × F-0815 2028-01-31 P-7']);
});

it('keeps a lot that is half typed for its product, wherever its line goes', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const bediol = { name: 'Bediol', qty: 2, price: 9.5, p1_id: 'BED-1' };
  const recipe = { name: 'Rezeptur', qty: 1, price: 20 };
  const id = await toPack(organization, 'Anna Anders', [bediol, recipe]);
  const station = await Station.openedBy(await openScreen(), clerk);
  await station.untilOpen('Anna Anders');
  const { screen, order, page } = station;
  const lotIn = (product: string) =>
    page
      .getByRole('dialog', { name: `Charge erfassen: ${product}` })
      .getByLabel('Charge', { exact: true })
      .and(page.locator(':focus'));
  await screen.press('F4');
  await lotIn('Bediol').fill('F-0815');
  await screen.press('Escape');
  await lotIn('Bediol').waitFor({ state: 'detached' });
  await organization.api('PUT', `/orders/${id}`, { items: [recipe, bediol] });
  await order.getByRole('listitem').first().filter({ hasText: 'Rezeptur' }).waitFor();
  await screen.press('F4');
  await lotIn('Rezeptur').waitFor();
  expect(await lotIn('Rezeptur').inputValue()).toBe('');
  await screen.press('Escape');
  await lotIn('Rezeptur').waitFor({ state: 'detached' });
  await screen.press('ArrowDown', 'F4');
  await lotIn('Bediol').waitFor();
  expect(await lotIn('Bediol').inputValue()).toBe('F-0815');
  await screen.press('Escape');
  await lotIn('Bediol').waitFor({ state: 'detached' });

  // The order changes while it is typed.
  await screen.press('Shift+ArrowUp');
  await untilCounted(station, '1 von 2');
  await screen.press('F4');
  await lotIn('Bediol').fill('F-0816');
  await organization.api('PUT', `/orders/${id}`, { items: [bediol, recipe] });
  await order.getByRole('button', { name: 'Neuen Stand übernehmen' }).click();
  await screen.press('ArrowUp', 'F4');
  await lotIn('Bediol').waitFor();
  expect(await lotIn('Bediol').inputValue()).toBe('F-0816');
});

it('loses no piece and no lot with a closed tab, neither while packing nor in the undo time', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await holdFor(clerk, 10);
  const id = await toPack(organization, 'Anna Anders', [await teaOf(organization, 2)]);
  const first = await Station.openedBy(await openScreen(), clerk);
  await first.untilOpen('Anna Anders');
  await first.wedge.scan(pack('AB1'));
  await first.order.getByText('1 × Charge AB1').waitFor();
  const station = await first.inNewTab();
  await station.untilOpen('Anna Anders');
  await untilCounted(station, '1 von 2');
  await station.order.getByText('1 × Charge AB1 · bis 31.12.2028').waitFor();
  await station.wedge.scan(pack('AB2'));
  await untilCounted(station, '2 von 2');
  await station.done.click();
  await station.page.getByText('Anna Anders: gepackt, wird „Versendet“').waitFor();
  await station.inNewTab();
  await untilOrder(organization, id, 'shipped');
  expect(await lotsOf(organization, id)).toEqual(['1: 1 × AB1 2028-12-31', '1: 1 × AB2 2028-12-31']);
});

it('takes the lots back with the undo, and keeps them at the station', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await holdFor(clerk, 10);
  const id = await toPack(organization, 'Anna Anders', [await teaOf(organization, 1)]);
  const station = await Station.openedBy(await openScreen(), clerk);
  await station.untilOpen('Anna Anders');
  await station.wedge.scan(pack('AB1'));
  await station.done.click();
  await station.page.getByText('Anna Anders: gepackt, wird „Versendet“').waitFor();
  await untilLots(organization, id, ['1: 1 × AB1 2028-12-31']);
  await station.page.getByRole('button', { name: /^Rückgängig/ }).click();
  await untilLots(organization, id, []);
  await station.untilOpen('Anna Anders');
  await station.order.getByText('1 × Charge AB1').waitFor();
  await station.done.and(station.page.locator(':enabled')).waitFor();
  expect(await station.order.getByRole('alert').count()).toBe(0);
  await holdFor(clerk, 0);
  await station.page.reload();
  await station.untilOpen('Anna Anders');
  await station.done.click();
  await untilOrder(organization, id, 'shipped');
  expect(await lotsOf(organization, id)).toEqual(['1: 1 × AB1 2028-12-31']);
}, 60_000);

it('shows a colleague what was written first, and writes nothing over it unseen', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await withoutUndo(clerk);
  const colleague = await platform.person(organization.orgId, 'clerk');
  const tea = await teaOf(organization, 1);
  const id = await toPack(organization, 'Anna Anders', [tea]);
  const station = await Station.openedBy(await openScreen(), clerk);
  station.screen.faults.expect(/status of 412 /);
  await station.untilOpen('Anna Anders');
  await station.wedge.scan(pack('AB1'));
  await station.order.getByText('1 × Charge AB1').waitFor();
  const news = await station.screen.holdCalls(/\/pipeline\/orders\/[0-9a-f-]{36}$/);
  await colleague.org('PUT', `/orders/${id}/lots`, { lots: [{ line: 1, lot: 'X-9', quantity: 1 }] });
  await station.done.click();
  await station.warning('Nicht gepackt').getByText('Jemand hat das inzwischen geändert.').waitFor();
  expect(await lotsOf(organization, id)).toEqual(['1: 1 × X-9']);
  news.release();
  const changed = station.warning('Der Auftrag hat sich geändert, während Sie packen');
  await changed.getByRole('row', { name: 'Chargen leer 1 × X-9' }).waitFor();
  await station.screen.press('Escape');
  await station.screen.keepScreenshot('lots-conflict');
  await changed.getByRole('button', { name: 'Neuen Stand übernehmen' }).click();
  await station.order.getByText('1 × Charge AB1').waitFor();
  await station.done.click();
  await untilOrder(organization, id, 'shipped');
  expect(await lotsOf(organization, id)).toEqual(['1: 1 × AB1 2028-12-31']);
});

it('shows the lots of a packed order on its page, on its slip, and at the station after it was reopened', async () => {
  const { organization, person: owner } = await platform.staffed('owner');
  await withoutUndo(owner);
  const tea = await teaOf(organization, 2);
  const id = await toPack(organization, 'Anna Anders', [tea, { name: 'Rezeptur', qty: 1, price: 20 }]);
  const lots = [
    { line: 1, lot: 'AB1', expires_on: '2028-12-31', quantity: 2 },
    { line: 2, lot: 'R-2026-117', test_number: 'P-7', quantity: 1 },
  ];
  await owner.org('PUT', `/orders/${id}/lots`, { lots });
  const orders = await OrdersScreen.openAt(
    'Anna Anders',
    await openScreen({ width: 1440 }),
    owner,
    `?id=${id}`,
  );
  const table = orders.detail.getByRole('region', { name: 'Chargen' });
  await table.getByRole('row', { name: '1 · Tee AB1 31.12.2028 2' }).waitFor();
  await table.getByRole('row', { name: '2 · Rezeptur R-2026-117 P-7 1' }).waitFor();
  await orders.detail.getByText('Chargen: 1: 2 × AB1 2028-12-31, 2: 1 × R-2026-117 P-7').waitFor();
  await table.scrollIntoViewIfNeeded();
  await orders.screen.keepScreenshot('lots-order');
  await narrowAndDark(orders.page);
  await table.scrollIntoViewIfNeeded();
  await orders.screen.keepScreenshot('lots-order-narrow');
  await orders.page.goto(`/console/print?kind=slip&ids=${id}`);
  await orders.page.getByText('2 × Charge AB1 · bis 31.12.2028').waitFor();
  await orders.page.getByText('1 × Charge R-2026-117 · Prüfnummer P-7').waitFor();
  await orders.screen.keepPaper('lots-slip');
  await orders.screen.keepScreenshot('lots-slip');

  await organization.api('PATCH', `/orders/${id}/status`, { status: 'shipped' });
  await owner.org('PATCH', `/orders/${id}/status`, {
    status: 'awaiting_packing',
    force: true,
    reason: 'Zurück',
  });
  const station = await Station.openedBy(await openScreen(), owner);
  await station.untilOpen('Anna Anders');
  await station.order.getByText('2 × Charge AB1 · bis 31.12.2028').waitFor();
  expect(await station.order.getByText('vom letzten Packen').count()).toBe(2);
  await station.wedge.scan(pack('AB3'));
  await station.wedge.scan(pack('AB3'));
  await station.order.getByText('2 × Charge AB3 · bis 31.12.2028').waitFor();
  await station.screen.press('ArrowDown', 'Shift+ArrowRight');
  await station.screen.keepScreenshot('lots-reopened');
  await station.screen.press('Shift+Enter');
  await untilOrder(organization, id, 'shipped');
  expect(await lotsOf(organization, id)).toEqual(['1: 2 × AB3 2028-12-31', '2: 1 × R-2026-117 P-7']);
}, 60_000);

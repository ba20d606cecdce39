import { buffer } from 'node:stream/consumers';
import { axeFindings } from '@offizin/testkit/browser/page-checks';
import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { newOrder, OrdersScreen, storedOrder, untilOrder } from './list-screens';
import { eraseCustomerOf, withoutUndo } from '../requests/review-screen';

/** Orders in the console: the list, one order, and changes of its status. */
const openScreen = useScreens();
/** Much less than the time after which a screen without the stream asks again. */
const SOON_MS = 5_000;

const platform = usePlatform();

it('is where a clerk begins: tabs with exact counts, filters that stay in the address', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await newOrder(organization, 'Anna Anders');
  const packing = await newOrder(organization, 'Bodo Beck', { order_number: 'B-77' });
  await organization.api('PATCH', `/orders/${packing}/status`, { status: 'awaiting_packing' });
  const orders = await OrdersScreen.openedBy(await openScreen(), clerk);
  await orders.page.goto('/console/');
  await orders.row('Anna Anders').getByText('15 × Bediol').waitFor({ state: 'attached' });
  expect(new URL(orders.page.url()).pathname).toBe('/console/orders');
  await orders.tab(/^Alle 2$/).waitFor();
  await orders.tab(/^Neu 1$/).waitFor();
  await orders.tab(/^Zu packen 1$/).click();
  await orders.row('Anna Anders').waitFor({ state: 'detached' });
  await orders.row('B-77').waitFor();
  await orders.page.reload();
  await orders.row('Bodo Beck').waitFor();
  expect(await orders.row('Anna Anders').count()).toBe(0);
  await orders.tab(/^Versendet$/).click();
  await orders.page.getByText('Kein Auftrag hat diesen Status').waitFor();
  await orders.page.goto('/console/orders?q=anna');
  await orders.row('Anna Anders').waitFor();
  await orders.page.goto('/console/orders?q=nobody');
  await orders.page.getByText('Kein Auftrag passt zu diesem Filter').waitFor();
});

it('saves all orders under the present filters as a table, whatever is loaded', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await newOrder(organization, 'Jörg Müller, =1+1', { order_number: '=1+1' });
  await newOrder(organization, 'Bodo Beck');
  const orders = await OrdersScreen.openedBy(await openScreen(), clerk, '?q=j%C3%B6rg');
  await orders.row('Jörg Müller').waitFor();
  await orders.screen.keepScreenshot('orders-filtered');
  const saving = orders.page.waitForEvent('download');
  await orders.press('Shift+E');
  const file = await saving;
  expect(file.suggestedFilename()).toMatch(/^Aufträge .+ \d{4}-\d\d-\d\d\.csv$/);
  const rows = (await buffer(await file.createReadStream())).toString().trimEnd().split('\r\n');
  expect(rows[0]).toMatch(/^\uFEFF"Auftrags-ID";"Auftragsnummer";"Externe ID";"Status";/);
  expect(rows[1]).toContain(';"\'=1+1";');
  expect(rows[1]).toMatch(/;"Jörg Müller,' =1\+1";.*;1;;"Bediol";15;9,50;"nein";;;$/);
  expect(rows).toHaveLength(2);
  await orders.message(/^Gespeichert: Aufträge .*\.csv$/).waitFor();
  await orders.page.getByRole('button', { name: /^Als Tabelle speichern/ }).waitFor();
});

it('is walked by keys: j and k move, Enter opens, Escape closes, g o leads here', async () => {
  const { organization, person: pharmacist } = await platform.staffed('pharmacist');
  for (const customer of ['Carla Conrad', 'Bodo Beck', 'Anna Anders']) await newOrder(organization, customer);
  const orders = await OrdersScreen.openedBy(await openScreen(), pharmacist, '?sort=newest');
  await orders.page.goto('/console/settings/me');
  await orders.page.locator('main form').first().waitFor();
  await orders.press('g', 'o');
  await orders.row('Anna Anders').waitFor();
  await orders.press('j', 'j');
  expect(await orders.detail.count()).toBe(0);
  await orders.press('Enter');
  await orders.untilOpen('Bodo Beck');
  await orders.press('j');
  await orders.untilOpen('Carla Conrad');
  await orders.press('Escape');
  await orders.detail.waitFor({ state: 'detached' });
  expect(await orders.row('Carla Conrad').getAttribute('aria-selected')).toBe('true');
});

it('receives new and changed orders by itself; new ones wait above what is read', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const id = await newOrder(organization, 'Anna Anders');
  const orders = await OrdersScreen.openAt('Anna Anders', await openScreen(), clerk, `?id=${id}`);
  await newOrder(organization, 'Bodo Beck');
  await orders.page.getByRole('button', { name: '1 neuer Auftrag' }).waitFor({ timeout: SOON_MS });
  expect(await orders.row('Bodo Beck').count()).toBe(0);
  await orders.press('.');
  await orders.row('Bodo Beck').waitFor();
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'shipped' });
  await orders.row('Anna Anders').getByText('Versendet').waitFor({ timeout: SOON_MS });
  await orders.detail.getByText('Versendet', { exact: true }).first().waitFor({ timeout: SOON_MS });
  await orders.tab(/^Versendet 1$/).waitFor();
});

it('shows one order with its history by names; its request only to who may read requests', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const pharmacist = await platform.person(organization.orgId, 'pharmacist');
  const requestId = await organization.submit(
    orderRequest({ customer_name: 'Anna Anders', address_street: 'Am Markt 1', address_city: 'Ulm' }),
  );
  const approved = await pharmacist.org('POST', `/order-requests/${requestId}/approve`, { version: 1 });
  expect(approved.status).toBe(200);
  const screen = await openScreen();
  const orders = await OrdersScreen.openedBy(screen, clerk);
  await orders.row('Anna Anders').click();
  await orders.untilOpen('Anna Anders');
  await orders.detail.getByText(/^Anna .+ · angelegt$|· angelegt/).waitFor();
  expect(await orders.detail.getByRole('link', { name: 'Zur Anfrage mit Rezept' }).count()).toBe(0);
  await screen.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await orders.detail.getByRole('button', { name: 'Adresse kopieren' }).click();
  await orders.message('Adresse kopiert.').waitFor();
  const copied = await orders.page.evaluate('navigator.clipboard.readText()');
  expect(String(copied).split('\n').slice(0, 2)).toEqual(['Anna Anders', 'Am Markt 1']);

  const other = await OrdersScreen.openedBy(await openScreen(), pharmacist);
  await other.row('Anna Anders').click();
  await other.detail.getByRole('link', { name: 'Zur Anfrage mit Rezept' }).click();
  await other.page.getByRole('heading', { level: 1, name: 'Anna Anders' }).waitFor();
  expect(new URL(other.page.url()).searchParams.get('id')).toBe(requestId);
});

it('offers the allowed next statuses on digits, holds the change, and takes it back', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await clerk.call('PUT', '/api/me', { undo_seconds: 10 });
  const id = await newOrder(organization, 'Anna Anders');
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'shipped' });
  const orders = await OrdersScreen.openAt('Anna Anders', await openScreen(), clerk, `?id=${id}`);
  await orders.press('s');
  await orders.dialog.waitFor();
  const offered = await orders.dialog.getByRole('button').allInnerTexts();
  expect(offered.map((text) => text.replace(/\s+/g, ' '))).toEqual([
    'Abgeholt 1',
    'Abgeschlossen 2',
    'Storniert 3',
    'Abbrechen',
  ]);
  await orders.press('2');
  await orders.message('Anna Anders: wird „Abgeschlossen“').waitFor();
  await orders.row('Anna Anders').getByText('Abgeschlossen').waitFor();
  expect((await storedOrder(organization, id)).status).toBe('shipped');
  await orders.press('z');
  await orders.row('Anna Anders').getByText('Versendet').waitFor();
  // A page that leaves sends what it holds.
  await orders.press('s');
  await orders.dialog.waitFor();
  await orders.press('2');
  await orders.message('Anna Anders: wird „Abgeschlossen“').waitFor();
  await orders.page.goto('/console/settings/me');
  await untilOrder(organization, id, 'completed');
});

it('marks an order as paid by u', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await withoutUndo(clerk);
  const id = await newOrder(organization, 'Anna Anders');
  const orders = await OrdersScreen.openAt('Anna Anders', await openScreen(), clerk, `?id=${id}`);
  await orders.press('u');
  await eventually(
    'the order to be paid',
    async () => (await storedOrder(organization, id)).payment_status === 'paid',
  );
  await orders.detail.getByText('Zahlung: bezahlt').waitFor();
});

it('reopens an order by Shift u for who may, which the history tells', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const pharmacist = await platform.person(organization.orgId, 'pharmacist');
  await withoutUndo(pharmacist);
  const id = await newOrder(organization, 'Anna Anders');
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  const of = await OrdersScreen.openedBy(await openScreen(), clerk, `?id=${id}`);
  await of.detail.getByText('Dieser Status ist endgültig.').waitFor();
  expect(await of.detail.getByRole('button', { name: /^Wieder öffnen/ }).count()).toBe(0);
  await of.press('Shift+u');
  expect(await of.dialog.count()).toBe(0);
  const orders = await OrdersScreen.openAt('Anna Anders', await openScreen(), pharmacist, `?id=${id}`);
  await orders.press('Shift+u');
  const toPacking = orders.dialog.getByRole('button', { name: /^Zu packen/ });
  await toPacking.waitFor();
  expect(await toPacking.isEnabled()).toBe(false);
  await orders.dialog.getByText('Er steht im Verlauf.').waitFor();
  expect(await orders.dialog.getByText(/Bestand|reserviert/).count()).toBe(0);
  await orders.page.keyboard.type('Kam zurück');
  await toPacking.click();
  await untilOrder(organization, id, 'awaiting_packing');
  await orders.detail.getByText('wieder geöffnet').waitFor();
  await orders.detail.getByText('Grund: Kam zurück').waitFor();
});

it.each([
  ['shipped', /bucht den verkauften Bestand zurück und reserviert alle Positionen/],
  ['cancelled', /Alle Positionen werden neu reserviert/],
])('says what reopening does to the stock of an order that was %s', async (status, says) => {
  const { organization, person } = await platform.staffed('pharmacist');
  const p1_id = await platform.stockedProduct(organization, 5);
  const request = orderRequest({ items: [{ p1_id, quantity: 2, price: 1 }] });
  const approval = `/order-requests/${await organization.submit(request)}/approve`;
  const { order_id: id } = json<{ order_id: string }>(await organization.api('POST', approval, {}));
  expect((await organization.api('PATCH', `/orders/${id}/status`, { status })).status).toBe(200);
  const orders = await OrdersScreen.openAt('Erika Mustermann', await openScreen(), person, `?id=${id}`);
  await orders.press('Shift+u');
  await orders.dialog.getByText(says).waitFor();
});

it('takes no note and no reason about an erased order, says why, and reopens it', async () => {
  const { organization, person } = await platform.staffed('pharmacist');
  await withoutUndo(person);
  const id = await newOrder(organization, 'Anna Anders');
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  await eraseCustomerOf(organization, { order_id: id });
  const orders = await OrdersScreen.openAt('Ohne Namen', await openScreen(), person, `?id=${id}`);
  await orders.detail.getByText('Notizen sind deshalb nicht möglich.').waitFor();
  expect(await orders.detail.getByRole('button', { name: /^Notiz/ }).isDisabled()).toBe(true);
  expect(await axeFindings(orders.page)).toEqual([]);
  await orders.screen.keepScreenshot('order-erased');
  await orders.press('n', 'Shift+u');
  const toPacking = orders.dialog.getByRole('button', { name: /^Zu packen/ });
  await toPacking.waitFor();
  expect(await orders.dialog.getByRole('textbox').count()).toBe(0);
  await toPacking.click();
  await untilOrder(organization, id, 'awaiting_packing');
});

it('keeps a note of a person by n, under their name and beside what happened', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const id = await newOrder(organization, 'Anna Anders');
  const screen = await openScreen();
  screen.faults.expect(/ERR_INTERNET_DISCONNECTED/, /Failed to load resource/);
  const orders = await OrdersScreen.openAt('Anna Anders', screen, clerk, `?id=${id}`);
  await orders.press('n');
  await orders.dialog.waitFor();
  await orders.page.keyboard.type('Nachbar nimmt an\nZweimal klingeln');
  await screen.context.setOffline(true);
  await orders.dialog.getByRole('button', { name: 'Speichern' }).click();
  await orders.dialog.getByRole('alert').waitFor();
  await orders.press('Escape');
  await orders.dialog.waitFor({ state: 'detached' });
  await screen.context.setOffline(false);
  await orders.press('n');
  await orders.dialog.getByRole('button', { name: 'Speichern' }).click();
  await orders.dialog.waitFor({ state: 'detached' });
  await orders.page.reload();
  const note = orders.detail.getByRole('listitem').filter({ hasText: 'Nachbar nimmt an' });
  expect(await note.innerText()).toMatch(/ · Notiz\s+Nachbar nimmt an\nZweimal klingeln$/);
  expect(await note.count()).toBe(1);
});

it('changes nothing that somebody else has changed: both versions are shown, then it is taken over', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const colleague = await platform.person(organization.orgId, 'clerk');
  await clerk.call('PUT', '/api/me', { undo_seconds: 5 });
  const id = await newOrder(organization, 'Anna Anders');
  const screen = await openScreen();
  screen.faults.expect(/status of 412 /);
  const orders = await OrdersScreen.openAt('Anna Anders', screen, clerk, `?id=${id}`);
  await orders.press('s');
  await orders.dialog.waitFor();
  await orders.dialog.getByRole('button', { name: /^Versendet/ }).click();
  await orders.message('Anna Anders: wird „Versendet“').waitFor();
  await organization.api('PUT', `/orders/${id}`, { address_city: 'Bonn' });
  await colleague.org('PATCH', `/orders/${id}/status`, { status: 'awaiting_packing' });
  const conflict = orders.page.getByRole('alert', { name: 'Nicht geändert: Jemand war schneller' });
  await conflict.waitFor({ timeout: 15_000 });
  expect(await storedOrder(organization, id)).toMatchObject({ status: 'awaiting_packing' });
  expect(await conflict.getByRole('row', { name: 'Ort Ulm Bonn' }).count()).toBe(1);
  expect(await conflict.getByRole('row', { name: 'Status Neu Zu packen' }).count()).toBe(1);
  await conflict.getByText('Ihre Änderung: „Versendet“.').waitFor();
  await screen.keepScreenshot('orders-conflict');
  await conflict.getByRole('button', { name: 'Trotzdem ändern' }).click();
  await untilOrder(organization, id, 'shipped');
  expect(await conflict.count()).toBe(0);
});

it('locks changes without a connection, and keeps what was read', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const id = await newOrder(organization, 'Anna Anders');
  const screen = await openScreen();
  screen.faults.expect(/ERR_INTERNET_DISCONNECTED/, /Failed to load resource/);
  const orders = await OrdersScreen.openAt('Anna Anders', screen, clerk, `?id=${id}`);
  await screen.context.setOffline(true);
  await orders.detail.getByText('Keine Verbindung: Ändern ist gesperrt.').waitFor();
  await orders.press('s');
  expect(await orders.dialog.count()).toBe(0);
  expect(await orders.row('Anna Anders').count()).toBe(1);
  await screen.context.setOffline(false);
  await eventually('changes to be possible again', () =>
    orders.detail.getByRole('button', { name: /^Status ändern/ }).isEnabled(),
  );
});

it('shows quantities of any size beside their products, on the order and on a phone', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const items = [1, 1_000_000].map((qty) => ({ name: 'Bediol', qty, price: 9.5, p1_id: 'BED-1' }));
  const id = await newOrder(organization, 'Anna Anders', { items });
  const orders = await OrdersScreen.openedBy(await openScreen(), clerk, `?id=${id}`);
  await orders.untilOpen('Anna Anders');
  const quantity = orders.detail.getByText('1.000.000 ×');
  for (const width of [1440, 390]) {
    await orders.page.setViewportSize({ width, height: 844 });
    await orders.screen.keepScreenshot(`order-quantities-${width}`);
    const product = orders.detail.getByText('Bediol').last();
    const [left, right] = [await quantity.boundingBox(), await product.boundingBox()];
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThan(right?.x ?? 0);
    expect(await quantity.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  }
});

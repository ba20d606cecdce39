import { sidewaysScroll } from '@offizin/testkit/browser/page-checks';
import { useScreens } from '@offizin/testkit/browser/screen';
import { orderRequest } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { newOrder, OrdersScreen, storedOrder } from './orders/list-screens';
import { newPharmacy, ReviewScreen } from './requests/review-screen';

const openScreen = useScreens();
const platform = usePlatform();

/** A window of 1280 × 720 at 200 and 400 per cent: everything can be reached. */
describe('a magnified window', () => {
  async function opened(width: number, height: number) {
    const { pharmacist } = await newPharmacy(platform, 'Anna-Katharina von Hohenstein-Wernigerode');
    const screen = await openScreen();
    await screen.page.setViewportSize({ width, height });
    const review = await ReviewScreen.openedBy(screen, pharmacist);
    await review.row('Anna-Katharina').click();
    const region = screen.page.getByRole('region', { name: 'Angaben zur Anfrage' });
    await region.getByText('Technische Hinweise.').waitFor();
    // All of it is in one scroller, and none of it in a slit.
    expect((await region.boundingBox())?.height).toBeGreaterThan(500);
    expect(await sidewaysScroll(screen.page)).toEqual([]);
    return { page: screen.page, review };
  }

  it('reviews and decides at 200 %', async () => {
    const { page, review } = await opened(640, 360);
    await page.getByText('Sehen Sie zuerst alle Positionen an.').waitFor();
    await page.getByText('Summe').scrollIntoViewIfNeeded();
    await page.getByText('Sehen Sie zuerst das Rezept an.').waitFor();
    await page.getByRole('button', { name: 'Rezept', exact: true }).click();
    await page
      .getByRole('region', { name: 'Rezept', exact: true })
      .getByText('Privatrezept')
      .first()
      .waitFor();
    expect(await sidewaysScroll(page)).toEqual([]);
    await review.approve.click();
    await review.message(/wird freigegeben/).waitFor();
  });

  it('has the whole review at 400 %, without sideways scrolling', async () => {
    const { page } = await opened(320, 180);
    await page.getByText('Summe').scrollIntoViewIfNeeded();
    await page.getByText('Technische Hinweise.').scrollIntoViewIfNeeded();
    // Why nothing can be decided: the document is not drawn before it is shown.
    await page.getByText('Sehen Sie zuerst das Rezept an.').waitFor();
    expect(await sidewaysScroll(page)).toEqual([]);
  });
});

/** A note for staff on a request, and other texts that are typed about it. */
describe('a note', () => {
  it('is kept with the request for colleagues, and not put on a newer version unread', async () => {
    const { organization, pharmacist } = await newPharmacy(platform);
    const colleague = await platform.person(organization.orgId, 'pharmacist');
    const reference = { external_reference: 'with-note' };
    const id = await organization.submit(orderRequest({ customer_name: 'Anna Anders' }, reference));
    const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
    await review.press('n');
    await review.dialog
      .getByLabel('Notiz für das Team')
      .fill('Praxis ruft um 15 Uhr zurück.\nDanach freigeben.');
    await review.dialog.getByRole('button', { name: 'Speichern' }).click();
    await review.dialog.waitFor({ state: 'hidden' });
    await review.page.getByText('Praxis ruft um 15 Uhr zurück.').waitFor();

    const other = await ReviewScreen.openedBy(await openScreen(), colleague);
    await other.page.getByText('Praxis ruft um 15 Uhr zurück.').waitFor();
    await other.untilArmed('Anna Anders');
    await other.press('n');
    await pharmacist.org('POST', `/order-requests/${id}/request-clarification`, { question: 'Wie viel?' });
    await organization.submit(orderRequest({ customer_name: 'Anna Anders', address_city: 'Ulm' }, reference));
    await other.dialog.getByLabel('Notiz für das Team').fill('Schon erledigt.');
    other.screen.faults.expect(/status of 409 .*\/marks:/);
    await other.dialog.getByRole('button', { name: 'Speichern' }).click();
    await other.dialog.getByText('neue Version').waitFor();
    await other.page.getByText('Ulm').first().waitFor({ state: 'attached' });
    await other.dialog.getByRole('button', { name: 'Speichern' }).click();
    await other.dialog.waitFor({ state: 'hidden' });
    await other.page.getByText('Schon erledigt.').waitFor();
  });

  it('stays as typed over Escape, another request and an undo, until it is thrown away', async () => {
    const { pharmacist } = await newPharmacy(platform, 'Anna Anders', 'Bodo Beck');
    const review = await ReviewScreen.openedBy(await openScreen(), pharmacist);
    const note = review.dialog.getByLabel('Notiz für das Team');
    await review.untilArmed('Anna Anders');
    await review.press('r', '2');
    await note.fill('Unterschrift fehlt.');
    await review.press('Escape', 'j');
    await review.untilArmed('Bodo Beck');
    await review.press('r');
    expect(await note.inputValue()).toBe('');
    await review.press('Escape', 'k');
    await review.untilArmed('Anna Anders');
    await review.press('r');
    expect(await note.inputValue()).toBe('Unterschrift fehlt.');
    await review.dialog.getByRole('button', { name: /^Ablehnen/ }).click();
    await review.untilArmed('Bodo Beck');
    await review.press('z');
    await review.untilArmed('Anna Anders');
    await review.press('r');
    expect(await review.dialog.getByRole('radio', { checked: true }).count()).toBe(1);
    expect(await note.inputValue()).toBe('Unterschrift fehlt.');
    await review.dialog.getByRole('button', { name: 'Verwerfen' }).click();
    await review.press('r');
    expect(await note.inputValue()).toBe('');
  });
});

/** Several orders together: selecting, one status for all with one refusal, printing. */
describe('a selection', () => {
  const CUSTOMERS = ['Anna Anders', 'Bodo Beck', 'Carla Conrad', 'Dora Dietz', 'Emil Ernst', 'Frieda Funk'];

  it('gives selected orders one status, and states which one was refused and why', async () => {
    const { organization, person: clerk } = await platform.staffed('clerk');
    const ids: string[] = [];
    for (const customer of CUSTOMERS) ids.push(await newOrder(organization, customer));
    await organization.api('PATCH', `/orders/${ids[1]}/status`, { status: 'completed' });
    await clerk.call('PUT', '/api/me', { undo_seconds: 3 });
    const screen = await openScreen();
    screen.faults.expect(/status of 409 /);
    const orders = await OrdersScreen.openedBy(screen, clerk, '?sort=oldest');
    const box = (customer: string) => orders.page.getByRole('checkbox', { name: `${customer} auswählen` });
    await orders.row('Anna Anders').waitFor();
    await orders.press('j', 'x', 'j', 'j', 'Shift+x');
    for (const customer of CUSTOMERS.slice(0, 3)) expect(await box(customer).isChecked()).toBe(true);
    await box('Emil Ernst').click({ modifiers: ['Shift'] });
    await box('Anna Anders').click();
    expect(await orders.detail.count()).toBe(0);
    const acts = orders.page.getByRole('group', { name: '4 Aufträge ausgewählt' });
    await acts.waitFor();
    // What a filter hides is no longer selected.
    await orders.tab(/^Abgeschlossen/).click();
    await orders.page.getByRole('group', { name: '1 Auftrag ausgewählt' }).waitFor();
    await orders.tab(/^Alle/).click();
    for (const customer of ['Carla Conrad', 'Dora Dietz', 'Emil Ernst']) await box(customer).click();
    await acts.waitFor();

    // Held as the change of one order: taken back, nothing is sent.
    await orders.press('s');
    await orders.page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Storniert/ })
      .click();
    await orders.page.getByText('Alle 4 Aufträge werden storniert.').waitFor();
    await orders.page.getByRole('button', { name: '4 Aufträge stornieren' }).click();
    await orders.page.getByText('4 werden gleich „Storniert“.').waitFor();
    await orders.press('z');
    await orders.page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await acts.waitFor();
    await orders.press('s');
    await orders.page.getByRole('alertdialog', { name: 'Neuer Status für 4 Aufträge' }).waitFor();
    await orders.page
      .getByRole('button', { name: /^Versendet/ })
      .last()
      .click();
    await orders.page.getByText('3 sind jetzt „Versendet“, 1 nicht:').waitFor();
    const refused = orders.page.getByRole('list', { name: 'Nicht geändert' }).getByRole('listitem');
    expect(await refused.allInnerTexts()).toEqual([
      expect.stringMatching(/^Bodo Beck .*Im jetzigen Status geht das nicht\.$/),
    ]);
    await screen.keepScreenshot('orders-bulk-refused');
    await orders.page.getByRole('button', { name: 'Schließen' }).click();
    await orders.page.getByRole('group', { name: '1 Auftrag ausgewählt' }).waitFor();
    const statuses = await Promise.all(ids.map(async (id) => (await storedOrder(organization, id)).status));
    expect(statuses).toEqual(['pending', 'completed', 'shipped', 'shipped', 'shipped', 'pending']);
  });

  it('changes no order that a colleague has changed since it was selected', async () => {
    const { organization, person: clerk } = await platform.staffed('clerk');
    const id = await newOrder(organization, 'Anna Anders');
    const screen = await openScreen();
    const orders = await OrdersScreen.openedBy(screen, clerk);
    await orders.row('Anna Anders').waitFor();
    await orders.press('j', 'x', 's');
    await orders.page.getByRole('alertdialog').waitFor();
    await organization.api('PATCH', `/orders/${id}/status`, { status: 'awaiting_packing' });
    await orders.press('7');
    await orders.page.getByText('Hat inzwischen den Status „Zu packen“.').waitFor();
    expect((await storedOrder(organization, id)).status).toBe('awaiting_packing');
  });
});

import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { axeFindings } from '@offizin/testkit/browser/page-checks';
import { openAs, useScreens } from '@offizin/testkit/browser/screen';
import { TestPlatform } from '@offizin/testkit/platform';
import { newOrder, OrdersScreen } from './orders/list-screens';
import {
  newPharmacy,
  prescriptionFor,
  ReviewScreen,
  submitRight,
  submitWith,
} from './requests/review-screen';

/** What a person looks for is found, by keys alone: search and links. */
const openScreen = useScreens();

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

describe('the search', () => {
  it('finds while typing what palette and file find, counts the tabs by it, and Enter opens the first', async () => {
    const { organization, pharmacist } = await newPharmacy(
      platform,
      'Anna Anders',
      'Jo\u0308rg Mu\u0308ller',
    );
    const asked = await submitRight(organization, 'Bodo Mueller');
    await organization.api('POST', `/order-requests/${asked}/request-clarification`, {
      question: 'Wie viel?',
    });
    const screen = await openScreen();
    const review = await ReviewScreen.openedBy(screen, pharmacist);
    await review.untilArmed('Anna Anders');
    await review.press('/');
    await review.page.keyboard.type('müller');
    await review.row('Anna Anders').waitFor({ state: 'detached' });
    // The open request stays until Enter.
    expect(await review.page.getByRole('heading', { level: 1, name: 'Anna Anders' }).count()).toBe(1);
    await review.page.getByRole('button', { name: /^Rückfrage 1$/ }).waitFor();
    expect(new URL(review.page.url()).searchParams.get('q')).toBe('müller');
    await review.press('Enter');
    await review.untilArmed('rg Mu');
    await screen.keepScreenshot('search-while-typing');
    const saving = review.page.waitForEvent('download');
    await review.press('Shift+E');
    const rows = (await buffer(await (await saving).createReadStream())).toString().trimEnd().split('\r\n');
    expect(rows).toHaveLength(2);
    await review.press('Control+k');
    await review.dialog.getByRole('searchbox').fill('muller');
    await review.dialog.getByText('2 Treffer').waitFor();
  });

  it('finds orders by product, by part of the number and by the later name', async () => {
    const organization = await platform.organization();
    const clerk = await platform.person(organization.orgId, 'clerk');
    await newOrder(organization, 'Anna von Weiß-Łąka', { order_number: 'B-2026-00417' });
    await newOrder(organization, 'Bodo Beck', { items: [{ name: 'Bedrocan 22/1', qty: 1, price: 9 }] });
    const orders = await OrdersScreen.openedBy(await openScreen(), clerk);
    await orders.row('Bodo Beck').waitFor();
    for (const [typed, found, other] of [
      ['bedro', 'Bodo', 'Anna'],
      ['0417', 'Anna', 'Bodo'],
      ['laka anna', 'Anna', 'Bodo'],
    ] as const) {
      await orders.press('/');
      await orders.page.keyboard.type(typed);
      await orders.row(other).waitFor({ state: 'detached' });
      await orders.row(found).waitFor();
      await orders.tab(/^Alle 1$/).waitFor();
      await orders.press('Enter');
    }
  });
});

describe('what belongs together', () => {
  it('leads from hint, decision and customer to requests and orders, and back', async () => {
    const { organization, pharmacist } = await newPharmacy(platform);
    const pdf = { prescription_pdf_base64: prescriptionFor('Anna Anders').toString('base64') };
    const person = { ...pdf, customer_email: 'anna@kunden.example' };
    const first = await submitWith(organization, 'Anna Anders', { ...person, allergies: 'Penicillin' });
    await pharmacist.org('POST', `/order-requests/${first}/reject`, {
      reason: 'prescription_unsigned',
      version: 1,
      note: 'Praxis angerufen.',
    });
    const second = await submitWith(organization, 'Anna Anders', person);
    await pharmacist.org('POST', `/order-requests/${second}/approve`, { version: 1 });
    await submitWith(organization, 'Anna Anders', person);
    const screen = await openScreen();
    const review = await ReviewScreen.openedBy(screen, pharmacist);
    const { page } = review;
    await review.row('Anna Anders').waitFor();
    const follow = async (name: string | RegExp) => {
      await page.getByRole('link', { name }).first().focus();
      await review.press('Enter');
    };
    await follow(/^Dasselbe Dokument am .+: Abgelehnt$/);
    await page.getByText('Praxis angerufen.').waitFor();
    await review.list.getByRole('option', { selected: true }).getByText('Abgelehnt').waitFor();
    await follow('Alles zu diesem Kunden');
    await page
      .getByRole('region', { name: 'Verlauf' })
      // Its request had no reference: an id would say nothing.
      .getByRole('link', { name: 'Auftrag', exact: true })
      .waitFor();
    const figures = await page.locator('main dl').first().locator('div').allInnerTexts();
    expect(figures.map((text) => text.split(/\s+/).sort())).toEqual([
      ['3', 'Anfragen'],
      ['1', 'Abgelehnt'],
      ['1', 'Auftrag'],
    ]);
    // In the head, and with its record.
    const allergies = page.getByLabel('Allergien und Bemerkungen').getByText('Penicillin');
    await allergies.nth(1).waitFor();
    await page.getByText('Notiz: Praxis angerufen.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await screen.keepScreenshot('customer');
    await page.goto(`/console/requests?tab=decided&id=${second}`);
    await follow('Zum Auftrag');
    await page.getByRole('region', { name: 'Auftrag', exact: true }).waitFor();
    await follow('Zur Anfrage mit Rezept');
    await page.getByText('Freigegeben.', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('id')).toBe(second);
  });

  it('explains why a customer cannot be found, and leads on', async () => {
    const { pharmacist } = await newPharmacy(platform);
    const screen = await openScreen();
    screen.faults.expect(/status of 404 .*\/customer/);
    const page = await openAs(screen, pharmacist, `/console/customer?order=${randomUUID()}`);
    await page.getByRole('heading', { name: 'Dieser Kunde ist nicht zu finden' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Zu den Aufträgen' }).click();
    await page.getByText('Noch keine Aufträge').waitFor();
    await page.getByRole('link', { name: 'Zu den Anfragen' }).waitFor();
  });

  it('tells the history without those who only looked, until it is asked, and with names', async () => {
    const { organization, pharmacist } = await newPharmacy(platform);
    const id = await submitRight(organization, 'Anna Anders');
    await organization.api('GET', `/order-requests/${id}`);
    const review = await ReviewScreen.openedBy(await openScreen(), pharmacist);
    await review.untilArmed('Anna Anders');
    const history = review.page.getByRole('listitem').filter({ hasText: /eingegangen|gelesen|geladen/ });
    await history.first().waitFor({ state: 'attached' });
    expect(await history.allInnerTexts()).toEqual([expect.stringMatching(/eingegangen/)]);
    await review.page.getByRole('button', { name: /nur geöffnet: zeigen$/ }).focus();
    await review.press('Enter');
    await history.nth(1).waitFor({ state: 'attached' });
    expect(await review.page.getByText(/[0-9a-f]{8}-[0-9a-f]{4}-7/).count()).toBe(0);
  });
});

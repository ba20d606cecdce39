import type { Parcel } from '@offizin/contracts/orders/parcels';
import { openAs, useScreens } from '@offizin/testkit/browser/screen';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { withoutUndo } from '../requests/review-screen';
import { newOrder, OrdersScreen, untilOrder, withPrinter } from './list-screens';

/** Tracking numbers in the console: by scan and by hand, on the order and at packing, followed and removed. */
const openScreen = useScreens();
const platform = usePlatform();

const DHL = '00340434161094042557';
const DHL_LINK = `https://www.dhl.de/de/privatkunden/dhl-sendungsverfolgung.html?piececode=${DHL}`;
const BEDIOL = { name: 'Bediol', qty: 2, price: 9.5, p1_id: 'BED-1' };

async function parcelsOf(organization: TestOrganization, id: string): Promise<Parcel[]> {
  return json<{ parcels: Parcel[] }>(await organization.api('GET', `/orders/${id}`)).parcels;
}

it('adds a scanned number to the order by keyboard alone, links to the carrier, and removes it', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const id = await newOrder(organization, 'Anna Anders');
  const orders = await OrdersScreen.openAt('Anna Anders', await openScreen(), clerk, `?id=${id}`);
  const { detail, dialog, page } = orders;
  await orders.press('t');
  await orders.type('0034 0434 1610 9404 2557');
  await dialog
    .getByRole('radio', { name: 'DHL' })
    .and(page.locator(':checked'))
    .waitFor({ state: 'attached' });
  await orders.screen.keepScreenshot('parcels-dialog');
  await orders.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const link = detail.getByRole('list', { name: 'Pakete' }).getByRole('link', { name: DHL });
  expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
    DHL_LINK,
    'noopener noreferrer',
  ]);
  await detail.getByText(`Pakete: dhl ${DHL}`).waitFor();
  await orders.screen.keepScreenshot('parcels-order');
  // The change of the status names the version that the parcel made.
  await withoutUndo(clerk);
  await page.reload();
  await link.waitFor();
  await orders.press('s');
  await dialog.getByRole('button', { name: /^Versendet/ }).click();
  await untilOrder(organization, id, 'shipped');
  await detail.getByRole('button', { name: `Entfernen: DHL ${DHL}` }).click();
  await orders.message(`Entfernt: DHL ${DHL}`).waitFor();
  await link.waitFor({ state: 'detached' });
  expect(await parcelsOf(organization, id)).toEqual([]);
});

it('explains a wrong number and a wrong link in its own words, and keeps what was typed', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const id = await newOrder(organization, 'Anna Anders');
  const orders = await OrdersScreen.openAt('Anna Anders', await openScreen(), clerk, `?id=${id}`);
  orders.screen.faults.expect(/status of 40[09] /);
  const { dialog } = orders;
  const add = dialog.getByRole('button', { name: /^Eintragen/ });
  await orders.press('t');
  await orders.type('123_456');
  expect(await add.isEnabled()).toBe(false);
  await dialog.getByText('Bote', { exact: true }).click();
  await dialog.getByLabel('Link zur Sendung (freiwillig)').fill('javascript:alert(1)');
  await add.click();
  await dialog.getByText('Eine Sendungsnummer hat 4 bis 40 Buchstaben').waitFor();
  await dialog.getByText('Der Link muss mit https:// beginnen').waitFor();
  await orders.screen.keepScreenshot('parcels-mistakes');
  await dialog.getByRole('textbox', { name: 'Sendungsnummer' }).fill('bote 7');
  await dialog.getByLabel('Link zur Sendung (freiwillig)').fill('https://bote.example.com/7');
  await orders.press('Enter');
  await orders.detail.getByRole('link', { name: 'BOTE7' }).waitFor();
  // The same number with another carrier. The carrier of before is chosen.
  await orders.press('t');
  await orders.type('BOTE7');
  await dialog.getByText('GLS', { exact: true }).click();
  await add.click();
  await dialog.getByRole('alert').getByText('mit einem anderen Versanddienst').waitFor();
  await orders.press('Escape');
  expect(await parcelsOf(organization, id)).toMatchObject([
    { carrier: 'courier', tracking_number: 'BOTE7', url: 'https://bote.example.com/7' },
  ]);
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  await orders.detail.getByText('Storniert').first().waitFor();
  expect(await orders.detail.getByRole('button', { name: /^Sendungsnummer/ }).isEnabled()).toBe(false);
});

it('takes the label for a parcel at packing, goes on with the count, and prints the number on the slip', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  await withoutUndo(clerk);
  const id = await newOrder(organization, 'Anna Anders', { items: [BEDIOL] });
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'awaiting_packing' });
  const { screen } = await withPrinter(await openScreen());
  const page = await openAs(screen, clerk, '/console/orders/pack');
  const order = page.getByRole('region', { name: 'Auftrag am Packplatz' });
  const scan = async (code: string) => {
    await page.keyboard.type(code);
    await page.keyboard.press('Enter');
  };
  await order.getByRole('heading', { level: 2, name: 'Anna Anders' }).waitFor();
  await scan('BED-1');
  await order.getByText('Bediol: 1 von 2').waitFor();
  await scan(DHL);
  await order.getByText(`Eingetragen: DHL ${DHL}`).waitFor();
  await order.getByText('1 von 2', { exact: true }).waitFor();
  expect(await order.getByText('Der Auftrag hat sich geändert').count()).toBe(0);
  await scan('04150123456782');
  await order.getByRole('alert').getByText('04150123456782 gehört nicht zu diesem Auftrag.').waitFor();
  await screen.press('Escape');
  await scan('BED-1');
  await order.getByText('Bediol: 2 von 2').waitFor();
  await screen.press('F2');
  const dialog = page.getByRole('dialog');
  await dialog.locator('input:focus').waitFor();
  // A bare number may be of several carriers.
  await page.keyboard.type('01505012345678');
  await dialog.getByText('DPD', { exact: true }).click();
  await dialog.getByRole('button', { name: /^Eintragen/ }).click();
  await order.getByRole('link', { name: '01505012345678' }).waitFor();
  await screen.keepScreenshot('parcels-packing');
  await order.getByRole('button', { name: /^Gepackt, drucken, weiter/ }).click();
  await untilOrder(organization, id, 'shipped');
  const paper = page.locator('article');
  await paper.getByText(`DHL ${DHL}`).waitFor({ state: 'attached' });
  await paper.getByText('DPD 01505012345678').waitFor({ state: 'attached' });
  await screen.keepPaper('parcels-slip');
});

it('fits a phone, in English and on dark ground', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const id = await newOrder(organization, 'Anna Anders');
  await organization.api('POST', `/orders/${id}/parcels`, {
    carrier: 'other',
    tracking_number: 'X'.repeat(40),
  });
  await organization.api('POST', `/orders/${id}/parcels`, {
    carrier: 'hermes',
    tracking_number: 'H1000730000862301015',
  });
  await clerk.call('PUT', '/api/me', { language: 'en', theme: 'dark' });
  const screen = await openScreen({ width: 390, theme: 'dark', language: 'en' });
  const page = await openAs(screen, clerk, `/console/orders?id=${id}`);
  const list = page.getByRole('list', { name: 'Parcels' });
  await list.getByRole('link', { name: 'H1000730000862301015' }).waitFor();
  await list.scrollIntoViewIfNeeded();
  await screen.keepScreenshot('parcels-phone');
  expect(await list.getByText('X'.repeat(40)).count()).toBe(1);
  await page.getByRole('button', { name: /^Tracking number/ }).click();
  await page.getByRole('dialog').getByText('Courier', { exact: true }).click();
  await page.getByLabel('Link to the parcel (optional)').waitFor();
  await screen.keepScreenshot('parcels-phone-dialog');
});

import { buffer } from 'node:stream/consumers';
import { axeFindings } from '@offizin/testkit/browser/page-checks';
import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import {
  eraseCustomerOf,
  newPharmacy,
  prescriptionFor,
  ReviewScreen,
  statusOf,
  submitRight,
  submitWith,
  untilStatus,
  withoutUndo,
} from './review-screen';

/** A pharmacist decides about requests: always about the one on the screen. */
const openScreen = useScreens();
const platform = usePlatform();

/** Goes to a button of the dialog with Tab and presses it, as a person without a pointer does. */
async function pressButton({ dialog, page, screen }: ReviewScreen, name: string): Promise<void> {
  const button = dialog.getByRole('button', { name });
  await eventually(`the focus to come to ${name}`, async () => {
    await screen.press('Tab');
    return (await button.and(page.locator(':focus')).count()) === 1;
  });
  await screen.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
}

it('decides about the request on the screen, not about one that has just come', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const looked = await submitRight(organization, 'Anna Anders');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist, '?sort=newest');
  const arrived = await submitRight(organization, 'Bodo Beck');
  await eventually(
    'the screen to know of the new request',
    async () => {
      const isListed = (await review.row('Bodo Beck').count()) === 1;
      return isListed || (await review.page.getByRole('button', { name: '1 neue Anfrage' }).count()) === 1;
    },
    20_000,
  );
  await review.press('a');
  await review.message('Anna Anders: wird freigegeben').waitFor();
  await untilStatus(organization, looked, 'approved');
  expect(await statusOf(organization, arrived)).toBe('pending');
});

it('takes a held key once, and nothing while the request is loading', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const ids = [
    await submitRight(organization, 'Anna Anders'),
    await submitRight(organization, 'Bodo Beck'),
    await submitRight(organization, 'Carla Conrad'),
  ];
  const [, second = '', third = ''] = ids;
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  // Playwright sends a key that is already down as a repetition.
  for (let times = 0; times < 12; times++) await review.page.keyboard.down('a');
  await review.page.keyboard.up('a');
  await review.untilArmed('Bodo Beck');
  await untilStatus(organization, ids[0] ?? '', 'approved');
  expect([await statusOf(organization, second), await statusOf(organization, third)]).toEqual([
    'pending',
    'pending',
  ]);

  const calls = await review.holdCalls(/\/prescription\.pdf/);
  await review.page.reload();
  await calls.untilAsked;
  await review.page.getByRole('heading', { name: 'Positionen' }).waitFor();
  await review.press('a', 'a', 'a');
  expect(await review.approve.isDisabled()).toBe(true);
  calls.release();
  await review.untilArmed('Bodo Beck');
  await review.press('j');
  await review.untilArmed('Carla Conrad');
  expect(await review.message(/wird freigegeben/).count()).toBe(0);
  expect(await statusOf(organization, second)).toBe('pending');
});

it('sends what is held immediately when the tab is closed', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const id = await submitRight(organization, 'Anna Anders');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.press('a');
  await review.message('Anna Anders: wird freigegeben').waitFor();
  const closed = review.page.waitForEvent('close');
  await review.page.close({ runBeforeUnload: true });
  await closed;
  await untilStatus(organization, id, 'approved', 3_000);
});

it('asks for a reason before it passes over a red check, and writes it into the audit log', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const used = prescriptionFor('Anna Anders').toString('base64');
  await submitWith(organization, 'Zoe Zander', { prescription_pdf_base64: used });
  const id = await submitWith(organization, 'Anna Anders', { prescription_pdf_base64: used });
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist, `?id=${id}`);
  await review.press('a');
  await review.dialog.getByText('Trotzdem freigeben: Anna Anders').waitFor();
  await review.press('Escape');
  await review.dialog.waitFor({ state: 'hidden' });
  expect(await statusOf(organization, id)).toBe('pending');
  await review.press('a');
  await review.dialog.waitFor();
  await review.page.keyboard.type('Telefonisch geklärt');
  await pressButton(review, 'Trotzdem freigeben');
  await untilStatus(organization, id, 'approved', 15_000);
  const { data } = json<{ data: { action: string; actor: string; object: string }[] }>(
    await organization.api('GET', '/audit-log?limit=50'),
  );
  expect(data).toContainEqual(
    expect.objectContaining({
      action: 'order-request.override',
      actor: `staff:${pharmacist.id}`,
      object: expect.stringContaining(`order-request:${id}`),
    }),
  );
});

it('takes no question and no text about an erased request, says why, and rejects it', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const id = await submitRight(organization, 'Anna Anders');
  await eraseCustomerOf(organization, { order_request_id: id });
  const review = await ReviewScreen.armed('Ohne Namen', await openScreen(), pharmacist);
  const { page, dialog } = review;
  await page.getByText('Rückfragen, Notizen und Texte sind deshalb nicht möglich.').waitFor();
  expect(await page.getByRole('button', { name: /^Rückfragen/ }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: /^Notiz/ }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await review.screen.keepScreenshot('review-erased');
  await review.press('q', 'n', 'e');
  await dialog.locator('input[name=total_amount]').waitFor();
  expect(await dialog.locator('input[name=customer_name], input[name=address_street]').count()).toBe(0);
  await review.screen.keepScreenshot('review-erased-editing');
  await review.press('Escape', 'a');
  await dialog.getByText('Trotzdem freigeben: Ohne Namen').waitFor();
  expect(await dialog.getByRole('textbox').count()).toBe(0);
  await review.press('Escape', 'r');
  await dialog.getByText('Ablehnen: Ohne Namen').waitFor();
  expect(await dialog.getByRole('textbox').count()).toBe(0);
  await review.press('9', 'Control+Enter');
  await untilStatus(organization, id, 'rejected');
});

it('leaves out what was typed about a customer who is erased meanwhile', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const id = await submitRight(organization, 'Anna Anders');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  const { page, dialog } = review;
  await review.press('e');
  await dialog.locator('input[name=address_phone]').fill('0731 1');
  await review.press('Control+Enter');
  await page.getByText('Von Ihnen geändert').waitFor();
  await eraseCustomerOf(organization, { order_request_id: id });
  // The open screen learns of it.
  await page.getByText('Rückfragen, Notizen und Texte sind deshalb nicht möglich.').waitFor();
  await review.untilArmed('Ohne Namen');
  expect(await page.getByText('Von Ihnen geändert').count()).toBe(0);
  await review.press('a');
  await dialog.getByText('Trotzdem freigeben: Ohne Namen').waitFor();
  await review.press('Control+Enter');
  await untilStatus(organization, id, 'approved');
});

it('asks about selected requests but for those that were erased, and says so', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const anna = await submitRight(organization, 'Anna Anders');
  const bodo = await submitRight(organization, 'Bodo Beck');
  await eraseCustomerOf(organization, { order_request_id: bodo });
  const review = await ReviewScreen.openedBy(await openScreen(), pharmacist);
  const { page, dialog } = review;
  await review.row('Ohne Namen').waitFor();
  await review.press('Shift+A');
  await page.getByRole('group', { name: '2 Anfragen ausgewählt' }).waitFor();
  await review.press('Shift+Q');
  await dialog.getByRole('heading', { name: 'Rückfrage: 1 Anfrage' }).waitFor();
  await dialog.getByText('Zu 1 Anfrage sind keine Rückfragen möglich').waitFor();
  await review.screen.keepScreenshot('requests-bulk-erased');
  await page.keyboard.type('Bitte senden Sie die zweite Seite.');
  await review.press('Control+Enter');
  const alert = page.getByRole('alertdialog');
  await alert.getByText('Rückfragen gesendet: 1.').waitFor();
  await alert.getByRole('button', { name: 'Schließen' }).click();
  await untilStatus(organization, anna, 'needs_clarification');
  const bar = page.getByRole('group', { name: '1 Anfrage ausgewählt' });
  await bar.getByText('Zu 1 Anfrage sind keine Rückfragen möglich').waitFor();
  expect(await bar.getByRole('button', { name: /^Rückfrage/ }).isDisabled()).toBe(true);
  expect(await statusOf(organization, bodo)).toBe('pending');
});

it('assigns and parks a request by t, which a colleague sees; it comes back with a mark', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const colleague = await platform.person(organization.orgId, 'pharmacist');
  await submitRight(organization, 'Anna Anders');
  const second = await submitRight(organization, 'Bodo Beck');
  const [mine, theirs] = [
    await ReviewScreen.openedBy(await openScreen(), pharmacist),
    await ReviewScreen.openedBy(await openScreen(), colleague),
  ];
  await theirs.row('Anna Anders').waitFor();
  await mine.untilArmed('Anna Anders');
  await mine.press('t', '1');
  await theirs.row('Anna Anders').getByText(/^Bei /).waitFor();
  await mine.dialog.waitFor({ state: 'hidden' });
  await mine.press('t');
  await mine.screen.keepScreenshot('request-plan');
  expect(await axeFindings(mine.page)).toEqual([]);
  await mine.press('3');
  await theirs.row('Anna Anders').waitFor({ state: 'detached' });
  await theirs.page.getByRole('button', { name: 'Später 1' }).click();
  const tabs = await theirs.page.getByRole('group', { name: 'Anfragen' }).getByRole('button').all();
  const boxes = await Promise.all(tabs.map((tab) => tab.boundingBox()));
  expect([boxes.length, new Set(boxes.map((box) => box?.y)).size]).toEqual([4, 1]);
  await theirs.row('Anna Anders').getByText(/^Bis /).waitFor();
  await theirs.row('Anna Anders').click();
  await theirs.page.getByText('zurückgestellt ·').waitFor();
  await theirs.untilArmed('Anna Anders');
  await theirs.page.locator('strong', { hasText: /^Zurückgestellt bis .*\.$/ }).waitFor();
  await theirs.screen.keepScreenshot('requests-parked');
  const asking = theirs.page.getByRole('alertdialog');
  for (const key of ['a', 'q', 'r']) {
    if (key !== 'a') {
      await theirs.press('Escape');
      await asking.waitFor({ state: 'detached' });
    }
    await theirs.press(key);
    await asking.getByText('Noch zurückgestellt: Anna Anders').waitFor();
  }
  await theirs.screen.keepScreenshot('requests-parked-asks');
  await theirs.press('Control+Enter');
  await theirs.dialog.getByText('Ablehnen: Anna Anders').waitFor();

  const parked_until = new Date(Date.now() + 3_000).toISOString();
  const path = `/review/requests/${second}/plan`;
  expect((await pharmacist.org('PUT', path, { parked_until })).status).toBe(200);
  await mine.row('Bodo Beck').waitFor({ state: 'detached' });
  await mine.row('Bodo Beck').getByText('Wieder fällig').waitFor();
});

it('names the partner beside the source, and warns of a reference that the order of another partner has', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const envelope = { external_reference: 'R-1', source: 'telemedicine' };
  const first = await organization.submit(orderRequest({ customer_name: 'Anna Anders' }, envelope));
  expect((await organization.api('POST', `/order-requests/${first}/approve`, {})).status).toBe(200);
  const { text: key } = await platform.apiKey(organization.orgId, { kind: 'int', name: 'Zweiter' });
  const body = orderRequest({ customer_name: 'Anna Anders' }, envelope);
  expect((await organization.connector({ key, body })).status).toBe(200);
  const review = await ReviewScreen.openedBy(await openScreen(), pharmacist);
  await review.list.getByText('Zweiter · telemedicine').waitFor();
  await review.untilArmed('Anna Anders');
  await review.page.getByText('Zweiter · telemedicine · R-1').waitFor();
  const red =
    'Ein Auftrag eines anderen Partners (test) hat diese Referenz, und Name oder E-Mail sind gleich';
  await review.page.getByText(red).waitFor();
  await review.press('a');
  await review.dialog.getByText(red).waitFor();
  await review.screen.keepScreenshot('review-reference');
});

it('shows the newest decision first, quietly, and nothing to decide; the search states what it is for', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  for (const customer of ['Anna Anders', 'Bodo Beck']) {
    const id = await submitRight(organization, customer);
    await pharmacist.org('POST', `/order-requests/${id}/approve`, { version: 1 });
  }
  const review = await ReviewScreen.openedBy(await openScreen(), pharmacist, '?tab=decided');
  await review.row('Anna Anders').waitFor();
  expect(await review.list.getByRole('option').first().innerText()).toContain('Bodo Beck');
  await review.page
    .getByText('Schon entschieden')
    .or(review.page.getByText(/hat .* freigegeben/))
    .waitFor();
  const decide = review.page.getByRole('group', { name: 'Entscheiden' });
  expect(await decide.getByRole('button').count()).toBe(0);
  await review.page.setViewportSize({ width: 1440, height: 900 });
  await review.screen.keepScreenshot('requests-decided-1440');
  expect((await review.page.getByRole('searchbox').boundingBox())?.width).toBeGreaterThan(220);
  await review.page.emulateMedia({ colorScheme: 'dark' });
  await review.page.setViewportSize({ width: 390, height: 844 });
  await review.screen.keepScreenshot('requests-decided-390-dark');
});

it('states on each hint what was compared, and shows who only opened a request when asked', async () => {
  const { pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const { page, screen, ...review } = await ReviewScreen.openedBy(await openScreen(), pharmacist);
  const hint = page.getByText('Dokument erstmals eingereicht');
  await hint.waitFor();
  expect(await page.getByText('Vergleicht die Datei mit allen früheren').count()).toBe(0);
  const check = page.getByRole('listitem').filter({ has: hint });
  const icon = async () => (await check.locator('svg').boundingBox())?.y ?? 0;
  const closed = await icon();
  await hint.press('Enter');
  await page.getByText('Vergleicht die Datei mit allen früheren').waitFor();
  expect(await icon()).toBe(closed);
  await screen.keepScreenshot('review-hint-help');
  expect(await axeFindings(page)).toEqual([]);
  await page.reload();
  await review.list.waitFor();
  const opened = page.getByRole('button', { name: /× nur geöffnet: zeigen$/ });
  await opened.waitFor();
  expect(await page.getByText(/geladen ·/).count()).toBe(0);
  await opened.click();
  await page
    .getByText(/geladen ·/)
    .first()
    .waitFor();
});

it('asks, rejects and saves selected requests together, and names what somebody else has decided', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const colleague = await platform.person(organization.orgId, 'pharmacist');
  await pharmacist.call('PUT', '/api/me', { undo_seconds: 5 });
  const names = ['Anna Anders', 'Bodo Beck', 'Carla Conrad', 'Dora Dorn'];
  const ids: string[] = [];
  for (const name of names) ids.push(await submitRight(organization, name));
  const [anna = '', bodo = '', carla = '', dora = ''] = ids;
  const review = await ReviewScreen.openedBy(await openScreen(), pharmacist);
  const { page, screen, dialog } = review;
  await review.untilArmed('Anna Anders');
  const bar = (count: string) => page.getByRole('group', { name: count });
  await review.press('Shift+A');
  await bar('4 Anfragen ausgewählt').waitFor();
  await review.press('x', 'j');
  await bar('3 Anfragen ausgewählt').waitFor();
  expect(
    await bar('3 Anfragen')
      .getByRole('button', { name: /Freigeben/ })
      .count(),
  ).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await screen.keepScreenshot('requests-selected');
  const saving = page.waitForEvent('download');
  await review.press('Shift+E');
  const file = (await buffer(await (await saving).createReadStream())).toString();
  expect(names.filter((name) => file.includes(name))).toEqual(names.slice(1));

  // A filter that hides rows takes them out of the selection.
  const search = page.getByRole('searchbox', { name: 'Name, Referenz oder Produkt' });
  await search.fill('beck');
  await search.press('Enter');
  await bar('1 Anfrage ausgewählt').waitFor();
  await search.fill('');
  await search.press('Enter');
  await review.row('Dora Dorn').locator('span[title="Anfrage auswählen"]').click();
  await bar('2 Anfragen ausgewählt').waitFor();

  await page.locator('main').press('Shift+R');
  await dialog.getByRole('heading', { name: 'Ablehnen: 2 Anfragen' }).waitFor();
  await review.press('9', 'Control+Enter');
  const alert = page.getByRole('alertdialog');
  await alert.getByText('2 Anfragen werden abgelehnt.').waitFor();
  await alert.getByRole('button', { name: '2 Anfragen ablehnen' }).click();
  await alert.getByText('2 Anfragen werden gleich abgelehnt.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await review.press('z');
  await alert.waitFor({ state: 'detached' });
  await page.locator('main').press('Shift+R');
  await dialog.getByRole('button', { name: 'Ablehnen' }).click();
  await alert.getByRole('button', { name: '2 Anfragen ablehnen' }).click();
  screen.faults.expect(/status of 409 .*\/reject:/);
  expect((await colleague.org('POST', `/order-requests/${dora}/approve`, { version: 1 })).status).toBe(200);
  await alert.getByText('Abgelehnt: 1. Nicht abgelehnt: 1.').waitFor();
  await alert.getByText(/^Dora Dorn: Anna .+ hat um \d\d:\d\d freigegeben\.$/).waitFor();
  await screen.keepScreenshot('requests-bulk-result');
  await alert.getByRole('button', { name: 'Schließen' }).click();
  expect(await statusOf(organization, bodo)).toBe('rejected');

  await withoutUndo(pharmacist);
  await page.reload();
  await review.row('Carla Conrad').waitFor();
  await review.press('Shift+A');
  await bar('2 Anfragen ausgewählt').waitFor();
  await review.press('Shift+Q');
  await dialog.waitFor();
  await page.keyboard.type('Bitte senden Sie die zweite Seite.');
  await review.press('Control+Enter');
  await alert.getByText('Rückfragen gesendet: 2.').waitFor();
  await untilStatus(organization, anna, 'needs_clarification');
  await untilStatus(organization, carla, 'needs_clarification');
});

import { useScreens } from '@offizin/testkit/browser/screen';
import { orderRequest } from '@offizin/testkit/order-request';
import { TestPlatform } from '@offizin/testkit/platform';
import { newPharmacy, ReviewScreen, submitRight } from './review-screen';

/** A note for staff on a request, and other texts that are typed about it. */
const openScreen = useScreens();

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

it('is kept with the request for colleagues, and not put on a newer version unread', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const colleague = await platform.person(organization.orgId, 'pharmacist');
  const reference = { external_reference: 'with-note' };
  const id = await organization.submit(orderRequest({ customer_name: 'Anna Anders' }, reference));
  const review = await ReviewScreen.openedBy(await openScreen(), pharmacist);
  await review.untilArmed('Anna Anders');
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
  const { organization, pharmacist } = await newPharmacy(platform);
  for (const customer of ['Anna Anders', 'Bodo Beck']) await submitRight(organization, customer);
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

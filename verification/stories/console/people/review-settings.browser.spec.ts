import { openAs, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { usePlatform } from '@offizin/testkit/platform';
import { newPharmacy, ReviewScreen, submitRight, untilStatus, withoutUndo } from '../requests/review-screen';

/** An owner chooses how the pharmacy reviews; the review screen follows. */
const openScreen = useScreens();
const ADDRESS = '/console/settings/review';

const platform = usePlatform();

it('puts a template into a question, asks the chosen marks, and is only read by pharmacists', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const owner = await platform.person(organization.orgId, 'owner');
  await withoutUndo(pharmacist);
  const approved = await submitRight(organization, 'Anna Anders');
  const asked = await submitRight(organization, 'Bodo Beck');
  const screen = await openScreen();
  await openAs(screen, owner, '/console/settings/me');
  await screen.page.getByRole('heading', { name: 'Mein Konto' }).waitFor();
  await screen.press('g', 'v');
  const { page } = screen;
  await page.getByLabel('Verordner geprüft').uncheck();
  await page.getByLabel('Nur bei Anfragen').uncheck();
  await page.getByLabel('Warnung nach (Tage)').fill('many');
  await page.getByRole('button', { name: 'Vorlage hinzufügen' }).click();
  const added = page.getByRole('group', { name: /^Vorlage \d+$/ }).last();
  await added.getByLabel('Name der Vorlage').fill('Zweite Seite');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Eine ganze Zahl von 1 bis 3650.').waitFor();
  await page.getByLabel('Warnung nach (Tage)').fill('14');
  screen.faults.expect(/status of 400 .*\/settings\/review:/);
  await page.getByRole('button', { name: 'Speichern' }).click();
  await added.getByText('must not be empty').waitFor();
  await added.getByRole('textbox', { name: 'Text' }).fill('Bitte senden Sie die zweite Seite.');
  // Leaving asks first.
  await page.getByRole('link', { name: 'Anfragen' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Hier bleiben' }).click();
  await screen.keepScreenshot('review-settings');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Prüfregeln gespeichert.').waitFor();

  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  expect(await review.page.getByLabel('Verordner geprüft').count()).toBe(0);
  await review.press('a');
  await review.dialog.getByRole('checkbox', { name: 'Unterschrift gesehen' }).waitFor();
  await review.press('1', '2');
  // With all marks set, no reason is asked for.
  await review.dialog.getByRole('button', { name: 'Freigeben', exact: true }).waitFor();
  await review.press('Enter');
  await untilStatus(organization, approved, 'approved');
  await review.untilArmed('Bodo Beck');
  await review.press('q');
  await review.dialog.locator('textarea:focus').waitFor();
  await review.press('Control+m');
  await review.dialog.locator('button:focus').waitFor();
  await review.dialog.getByRole('button', { name: 'Zweite Seite' }).click();
  expect(await review.dialog.getByRole('textbox').inputValue()).toBe('Bitte senden Sie die zweite Seite.');
  await review.dialog.locator('textarea:focus').waitFor();
  await review.press('Control+Enter');
  await untilStatus(organization, asked, 'needs_clarification');
  await review.page.goto(ADDRESS);
  await review.page.getByText('Die Prüfregeln ändert die Inhaberin oder der Inhaber.').waitFor();
  expect(await review.page.getByLabel('Unterschrift gesehen').isDisabled()).toBe(true);
  const refused = await pharmacist.org('PUT', '/settings/review', {});
  expect(refused.status).toBe(403);
});

it('overwrites nothing that somebody else has saved meanwhile', async () => {
  const { organization } = await newPharmacy(platform);
  const [one, other] = [
    await platform.person(organization.orgId, 'owner'),
    await platform.person(organization.orgId, 'owner'),
  ];
  const screen = await openScreen();
  const page = await openAs(screen, one, ADDRESS);
  await page.getByLabel('Zu alt nach (Tage)').fill('60');
  const { by, at, ...defaults } = json(await other.org('GET', '/settings/review'));
  expect([by, at]).toEqual([null, null]);
  const saved = await other.org('PUT', '/settings/review', { ...defaults, red_days: 70 });
  expect(saved.status).toBe(200);
  screen.faults.expect(/status of 409 .*\/settings\/review:/);
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Inzwischen hat jemand die Prüfregeln geändert.').waitFor();
  expect(await page.getByLabel('Zu alt nach (Tage)').inputValue()).toBe('60');
  await page.getByRole('button', { name: /^Neuen Stand laden/ }).click();
  await page.getByText('Inzwischen hat jemand').waitFor({ state: 'detached' });
  const days = page.getByLabel('Zu alt nach (Tage)');
  await eventually('the value of the other person', async () => (await days.inputValue()) === '70');
});

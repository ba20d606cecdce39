import type { Page } from 'playwright-core';
import { type Screen, SIGNED_OUT, openAs, useScreens } from '@offizin/testkit/browser/screen';
import { json } from '@offizin/testkit/http';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { codeOfApp } from '@offizin/testkit/second-factors';
import { findingsOfEachLook } from '../pages/every-look';

/** A person gives a second factor besides the password, sets it up, and gets help when the phone is lost. */
const openScreen = useScreens();
const platform = usePlatform();
let orgId: string;

beforeAll(async () => {
  ({ orgId } = await platform.organization());
});

async function givePassword(screen: Screen, { email, password }: TestPerson): Promise<void> {
  const { page } = screen;
  await page.goto('/console/sign-in');
  await page.getByLabel('E-Mail').fill(email);
  await page.getByLabel('Passwort').fill(password);
  await screen.press('Enter');
}

/** Types the first code of the app that the page shows; returns its secret. */
async function completeSetUp(screen: Screen): Promise<string> {
  const { page } = screen;
  const secret = await page.getByRole('textbox', { name: 'Schlüssel' }).inputValue();
  const code = page.getByRole('textbox', { name: 'Code aus der App' });
  await code.fill('000000');
  await screen.press('Enter');
  await page.getByText('Speichern oder drucken Sie zuerst').waitFor();
  await page.getByRole('checkbox', { name: 'Ich habe die Codes gespeichert' }).check();
  await page.getByRole('button', { name: 'Einrichten', exact: true }).click();
  await page.getByText('Das ist nicht der Code, den die App jetzt zeigt.').waitFor();
  await code.fill(codeOfApp(secret));
  await screen.press('Enter');
  return secret;
}

async function recoveryCodesOn(page: Page): Promise<string[]> {
  return page
    .getByRole('region', { name: 'Wiederherstellungscodes' })
    .getByRole('listitem')
    .allTextContents();
}

it('is set up in the own settings, asked for at the next sign-in, and replaced by a recovery code', async () => {
  const person = await platform.person(orgId, 'pharmacist');
  const screen = await openScreen();
  screen.faults.expect(/status of 400 .*\/me\/totp\/confirm:/);
  const page = await openAs(screen, person, '/console/settings/me');
  await page.getByRole('button', { name: 'App einrichten' }).click();
  await page.getByRole('img', { name: 'QR-Code für die App' }).waitFor();
  const codes = await recoveryCodesOn(page);
  await screen.keepScreenshot('totp-dialog');
  await screen.keepPaper('recovery-codes');
  const secret = await completeSetUp(screen);
  await page.getByText('Noch 10 Wiederherstellungscodes übrig.').waitFor();

  const other = await openScreen();
  other.faults.expect(SIGNED_OUT, /status of 401 .*\/sign-in\/second-factor:/);
  await givePassword(other, person);
  await other.page.getByLabel('Code', { exact: true }).waitFor();
  // The password alone has opened nothing.
  expect(await other.page.evaluate(() => fetch('/console/api/session').then(({ status }) => status))).toBe(
    401,
  );
  await other.page.keyboard.type('000000');
  await other.press('Enter');
  await other.page.getByRole('alert').getByText('Der Code stimmt nicht').waitFor();
  expect(await findingsOfEachLook(other, 'second-factor', 'de')).toEqual([]);
  await other.page.getByLabel('Code', { exact: true }).fill(codeOfApp(secret, 1));
  await other.press('Enter');
  await other.page.waitForURL('**/console/requests');

  const third = await openScreen();
  await givePassword(third, person);
  await third.page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
  await third.press('Enter');
  await third.page.waitForURL('**/console/requests');
  await page.reload();
  await page.getByText('Noch 9 Wiederherstellungscodes übrig.').waitFor();
});

it('moves to another app, also where the role needs one: the old one counts until the first code', async () => {
  const { orgId: strict } = await platform.organization();
  const [owner, person] = [
    await platform.person(strict, 'owner'),
    await platform.person(strict, 'pharmacist'),
  ];
  const screen = await openScreen();
  screen.faults.expect(/status of 400 .*\/me\/totp\/confirm:/);
  const page = await openAs(screen, person, '/console/settings/me');
  await page.getByRole('button', { name: 'App einrichten' }).click();
  const first = await completeSetUp(screen);
  const rules = { second_factor_roles: ['pharmacist'] };
  expect((await owner.org('PUT', '/settings/sign-in', rules)).status).toBe(200);
  await page.reload();
  await page.getByText('Ihre Rolle braucht einen zweiten Faktor.').waitFor();
  await page.getByRole('button', { name: 'App wechseln' }).click();
  await page.getByRole('img', { name: 'QR-Code für die App' }).waitFor();
  const [oldCode = ''] = await recoveryCodesOn(page);
  await screen.press('Escape');
  await page.getByRole('button', { name: 'App wechseln' }).click();
  const second = await completeSetUp(screen);
  expect(second).not.toBe(first);
  await page.getByText('Noch 10 Wiederherstellungscodes übrig.').waitFor();

  const other = await openScreen();
  other.faults.expect(SIGNED_OUT, /status of 401 .*\/sign-in\/second-factor:/);
  await givePassword(other, person);
  const code = other.page.getByLabel('Code', { exact: true });
  for (const gone of [codeOfApp(first, 1), oldCode]) {
    await code.fill(gone);
    const answered = other.page.waitForResponse('**/console/api/sign-in/second-factor');
    await other.press('Enter');
    expect((await answered).status()).toBe(401);
  }
  await code.fill(codeOfApp(second, 1));
  await other.press('Enter');
  await other.page.waitForURL('**/console/requests');
});

it('is set up at sign-in where the role needs one, and removed by the owner for a lost phone', async () => {
  const [owner, clerk] = [await platform.person(orgId, 'owner'), await platform.person(orgId, 'clerk')];
  const desk = await openScreen();
  await openAs(desk, owner, '/console/settings/staff');
  const rules = desk.page.getByRole('region', { name: 'Zweiter Faktor beim Anmelden' });
  await rules.getByRole('checkbox', { name: 'PTA/PKA' }).click();
  await rules.getByRole('checkbox', { name: 'PTA/PKA', checked: true }).waitFor();

  const screen = await openScreen();
  screen.faults.expect(/status of 400 .*\/sign-in\/totp\/confirm:/);
  await givePassword(screen, clerk);
  await screen.page.getByText('Ihre Rolle braucht einen zweiten Faktor.').waitFor();
  expect(await findingsOfEachLook(screen, 'set-up', 'de')).toEqual([]);
  await completeSetUp(screen);
  await screen.page.waitForURL('**/console/orders');

  await desk.page.reload();
  const row = desk.page.getByRole('listitem').filter({ hasText: clerk.email });
  await row.getByText('zweiter Faktor').waitFor();
  await desk.keepScreenshot('staff-second-factor');
  screen.faults.expect(/status of 401/);
  await row.getByRole('button', { name: /^Aktionen/ }).click();
  await desk.page.getByRole('menuitem', { name: 'Zweiten Faktor entfernen' }).click();
  await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Entfernen' }).click();
  await row.getByText('zweiter Faktor').waitFor({ state: 'detached' });
  await screen.page.getByRole('dialog', { name: 'Gesperrt' }).waitFor();
  const answer = await owner.org('GET', '/audit-log?action=staff.remove-second-factor');
  expect(json<{ data: { object: string }[] }>(answer).data[0]?.object).toBe(`staff:${clerk.id}`);
});

it('takes the choice of the next role before the rules are read again', async () => {
  const organization = await platform.organization();
  const desk = await openScreen();
  await openAs(desk, await platform.person(organization.orgId, 'owner'), '/console/settings/staff');
  const rules = desk.page.getByRole('region', { name: 'Zweiter Faktor beim Anmelden' });
  await rules.getByRole('checkbox', { name: 'PTA/PKA' }).waitFor();
  await desk.page.route('**/settings/sign-in', async (route) => {
    if (route.request().method() !== 'GET') await route.continue();
  });
  for (const name of ['PTA/PKA', 'Apothekerin/Apotheker']) {
    await rules.getByRole('checkbox', { name }).click();
    await rules.getByRole('checkbox', { name, checked: true }).waitFor();
  }
  await desk.page.unrouteAll();
  await desk.page.reload();
  await rules.getByRole('checkbox', { checked: true }).nth(1).waitFor();
});

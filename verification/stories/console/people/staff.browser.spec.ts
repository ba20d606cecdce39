import type { Locator, Page } from 'playwright-core';
import type { Role } from '@offizin/contracts/people/roles';
import { type Screen, openAs, signInAs, useScreens } from '@offizin/testkit/browser/screen';
import { letConfirmationAge, type TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';

/** The owner looks after the people of the pharmacy. */
const openScreen = useScreens();
const ADDRESS = '/console/settings/staff';
const PASSWORD = 'pass of the invited person';

const platform = usePlatform();

async function openedByOwner(): Promise<{ owner: TestPerson; screen: Screen; page: Page }> {
  const { orgId } = await platform.organization();
  const owner = await platform.person(orgId, 'owner');
  const screen = await openScreen();
  await openAs(screen, owner, ADDRESS);
  return { owner, screen, page: screen.page };
}

function rowOf(page: Page, text: string): Locator {
  return page.getByRole('list', { name: 'Team' }).getByRole('listitem').filter({ hasText: text });
}

async function untilFocused(control: Locator): Promise<void> {
  await control.and(control.page().locator(':focus')).waitFor();
}

async function act(row: Locator, name: string): Promise<void> {
  await row.getByRole('button', { name: /^Aktionen/ }).click();
  await row.page().getByRole('menuitem', { name, exact: true }).click();
}

it('invites a person by a link that is shown once, and locks the screen of that person when switched off', async () => {
  const { owner, screen, page } = await openedByOwner();
  await letConfirmationAge(owner);
  screen.faults.expect(/status of 403 .*\/staff:/, /status of 401 .*\/session\/confirm:/);
  const email = `berta.${owner.id}@apotheke.example`;
  await page.getByRole('button', { name: 'Person einladen' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Bärbel Böhm');
  await page.getByLabel('E-Mail').fill(email);
  await page.getByRole('button', { name: 'Link erzeugen' }).click();
  // The last confirmation is old, so the password is asked for, and the invitation is sent afterwards.
  const confirm = page.getByRole('dialog', { name: 'Passwort bestätigen' });
  await confirm.getByLabel('Passwort').fill('wrong password');
  await screen.press('Enter');
  await confirm.getByText('Das Passwort stimmt nicht.').waitFor();
  await confirm.getByLabel('Passwort').fill(owner.password);
  await screen.press('Enter');
  const shown = page.getByRole('alertdialog', { name: 'Einladung für Bärbel Böhm' });
  const link = await shown.getByRole('textbox', { name: 'Link' }).inputValue();
  await screen.keepScreenshot('staff-link');
  await screen.press('Escape');
  expect(await shown.getByRole('button', { name: 'Schließen' }).isDisabled()).toBe(true);
  await shown.getByRole('checkbox').check();
  await shown.getByRole('button', { name: 'Schließen' }).click();
  await rowOf(page, 'Bärbel Böhm').getByText('eingeladen').waitFor();

  const other = await openScreen();
  other.faults.expect(/status of 401/);
  await other.page.goto(link);
  await other.page.getByLabel('Neues Passwort').fill(PASSWORD);
  await other.page.getByRole('button', { name: 'Passwort setzen und anmelden' }).click();
  await other.page.getByRole('heading', { name: 'Anfragen' }).waitFor();
  await page.reload();
  await act(rowOf(page, 'Bärbel Böhm'), 'Zugang sperren');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Zugang sperren' }).click();
  await other.page.getByRole('dialog', { name: 'Gesperrt' }).waitFor();
  await rowOf(page, 'Bärbel Böhm').getByText('gesperrt').waitFor();
  await act(rowOf(page, 'Bärbel Böhm'), 'Zugang wieder freigeben');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Freigeben' }).click();
  await rowOf(page, 'Bärbel Böhm').getByText('gesperrt').waitFor({ state: 'detached' });
});

it('keeps the last owner, and changes a role by keyboard alone', async () => {
  const { owner, screen, page } = await openedByOwner();
  const clerk = await platform.person(owner.orgId, 'clerk');
  await page.reload();
  screen.faults.expect(/status of 409 .*\/staff\//);
  await act(rowOf(page, owner.email), 'Zugang sperren');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Zugang sperren' }).click();
  await page.getByText('Eine Inhaberin oder ein Inhaber muss bleiben.').waitFor();
  await screen.press('Escape');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  // The focus goes back a moment after the dialog has gone.
  await untilFocused(rowOf(page, owner.email).getByRole('button'));
  await rowOf(page, clerk.email).getByRole('button').focus();
  await screen.press('Enter');
  await untilFocused(page.getByRole('menuitem'));
  await screen.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Sieht keine Rezepte.').waitFor();
  await untilFocused(dialog.getByRole('textbox'));
  await screen.press('Tab', 'ArrowLeft');
  await dialog.getByText('Mit der neuen Rolle').waitFor();
  await screen.press('Tab', 'Tab', 'Enter');
  await rowOf(page, clerk.email).getByText('Apothekerin/Apotheker').waitFor();
});

/** The calls behind the pages: door.e2e.spec.ts. */
it.each<[Role, string, string, string[]]>([
  ['pharmacist', 'Apothekerin/Apotheker', 'Team', ['settings/staff', 'audit']],
  ['clerk', 'PTA/PKA', 'Berichte', ['settings/keys', 'reports', 'webhooks', 'webhooks/deliveries']],
])('tells a %s who may see the pages of others', async (role, name, area, pages) => {
  const { orgId } = await platform.organization();
  const screen = await openScreen();
  await signInAs(screen, await platform.person(orgId, role));
  const { page } = screen;
  for (const address of pages) {
    await page.goto(`/console/${address}`);
    await page.getByText(`Sie sind als ${name} angemeldet. Das Recht vergibt die Inhaberin`).waitFor();
    expect(await page.getByRole('link', { name: area }).count()).toBe(0);
  }
});

import type { Page } from 'playwright-core';
import { type Screen, useScreens } from '@offizin/testkit/browser/screen';
import { signInAs } from '@offizin/testkit/browser/signed-in';
import { eventually } from '@offizin/testkit/eventually';
import { http } from '@offizin/testkit/http';
import { TestPlatform } from '@offizin/testkit/platform';

/** The life of a key, from the owner's screen: created, shown once, replaced, revoked. */
const openScreen = useScreens();

let platform: TestPlatform;
let screen: Screen;
let page: Page;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

function row(name: string, list = 'Schlüssel') {
  return page.getByRole('list', { name: list }).getByRole('listitem').filter({ hasText: name });
}

async function act(name: string, chip: string | null, does: string): Promise<void> {
  const of = chip === null ? row(name) : row(name).filter({ hasText: chip });
  await of.getByRole('button', { name: `Aktionen: ${name}` }).click();
  await page.getByRole('menuitem', { name: does }).click();
}

/** Reads the key and says that it is stored. */
async function takeKey(): Promise<string> {
  const shown = page.getByRole('alertdialog', { name: 'Schlüssel „Warenwirtschaft“' });
  const key = await shown.getByRole('textbox', { name: 'Schlüssel' }).inputValue();
  await screen.press('Escape');
  await shown.getByLabel('Ich habe den Schlüssel gespeichert.').check();
  await shown.getByRole('button', { name: 'Schließen' }).click();
  return key;
}

async function statusOf(key: string): Promise<number> {
  const { baseUrl } = platform.access;
  const answer = await http(`${baseUrl}/auth/token`, { method: 'POST', body: { api_key: key } });
  return answer.status;
}

it('creates a key that is shown once, replaces it with an overlap, and revokes both', async () => {
  const { orgId } = await platform.organization();
  screen = await openScreen();
  ({ page } = screen);
  await signInAs(screen, await platform.person(orgId, 'owner'));
  await page.goto('/console/settings/keys');
  await page.getByRole('button', { name: 'Schlüssel anlegen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Warenwirtschaft');
  expect(await dialog.getByRole('button', { name: 'Schlüssel anlegen' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Liest Aufträge.').check();
  await screen.keepScreenshot('api-keys-create');
  await dialog.getByRole('button', { name: 'Schlüssel anlegen' }).click();
  const first = await takeKey();
  expect(await statusOf(first)).toBe(200);
  await row('Warenwirtschaft').getByText('1 Recht').click();
  await row('Warenwirtschaft').getByText('Liest Aufträge.').waitFor();
  await page.reload();
  await row('Warenwirtschaft').waitFor();
  expect(await page.content()).not.toContain(first);

  await act('Warenwirtschaft', null, 'Ersetzen');
  await dialog.getByText('7 Tage').click();
  await dialog.getByRole('button', { name: 'Ersetzen' }).click();
  const second = await takeKey();
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  await row('Warenwirtschaft').filter({ hasText: 'ersetzt' }).waitFor();

  await act('Warenwirtschaft', 'ersetzt', 'Widerrufen');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Widerrufen' }).click();
  await row('Warenwirtschaft', 'Beendet').getByText('widerrufen', { exact: true }).waitFor();
  await eventually('the old key to be refused', async () => (await statusOf(first)) === 401);
  expect(await statusOf(second)).toBe(200);
});

it('tells a clerk who may see it', async () => {
  const { orgId } = await platform.organization();
  screen = await openScreen();
  ({ page } = screen);
  await signInAs(screen, await platform.person(orgId, 'clerk'));
  await page.goto('/console/settings/keys');
  await page.getByText('Sie sind als PTA/PKA angemeldet.').waitFor();
});

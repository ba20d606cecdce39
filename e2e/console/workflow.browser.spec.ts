import { useScreens } from '@offizin/testkit/browser/screen';
import { signInAs } from '@offizin/testkit/browser/signed-in';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { TestPlatform } from '@offizin/testkit/platform';

/** The owner draws the workflow of orders. */
const openScreen = useScreens();
const WORKFLOW = '/settings/workflow';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

interface Stored {
  mode: string;
  transitions: Record<string, string[]>;
}

it('tries a changed workflow before it is saved, and gives the standard back', async () => {
  const organization = await platform.organization();
  const owner = await platform.person(organization.orgId, 'owner');
  const stored = async () => json<Stored>(await owner.org('GET', WORKFLOW));
  const standard = await stored();
  const screen = await openScreen();
  await signInAs(screen, owner);
  const { page } = screen;
  await page.goto('/console/settings/workflow');
  const save = page.getByRole('button', { name: 'Speichern' });
  const step = page.getByRole('group', { name: 'Von Neu nach' }).getByRole('button', { name: 'Versendet' });
  expect([await save.isDisabled(), await step.getAttribute('aria-pressed')]).toEqual([true, 'true']);
  await step.click();
  const trial = page.getByRole('group', { name: /^Von .* weiter nach$/ });
  expect(await trial.getByRole('button', { name: 'Versendet' }).count()).toBe(0);
  await trial.getByRole('button', { name: 'Storniert' }).click();
  await page.getByText('Neu → Storniert · endgültig').waitFor();
  expect((await stored()).mode).toBe('default');
  // Leaving asks first.
  await page.getByRole('link', { name: 'Team' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Hier bleiben' }).click();
  await save.click();
  await page.getByText('Ablauf gespeichert.').waitFor();
  const { mode, transitions } = await stored();
  expect([mode, transitions['pending']?.includes('shipped')]).toEqual(['custom', false]);

  await page.getByText('Standard', { exact: true }).click();
  expect(await step.getAttribute('aria-pressed')).toBe('true');
  await save.click();
  // The button is also disabled while it saves.
  await eventually('the standard to be stored', async () => {
    expect(await stored()).toEqual(standard);
    return true;
  });
  expect(await step.getAttribute('aria-pressed')).toBe('true');

  // Another owner saves while this one draws.
  await step.click();
  await owner.org('PUT', WORKFLOW, { mode: 'open' });
  await save.click();
  await page.getByText('Inzwischen hat jemand den Ablauf geändert.').waitFor();
  expect((await stored()).mode).toBe('open');
  await page.getByRole('button', { name: 'Neuen Stand zeigen und eigene Änderungen verwerfen' }).click();
  await step.and(page.locator('[aria-pressed=true]')).waitFor();
  await page.getByText('Jeder Status darf auf jeden folgen.').waitFor();
});

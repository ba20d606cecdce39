import { useScreens } from '@offizin/testkit/browser/screen';
import { signInAs } from '@offizin/testkit/browser/signed-in';
import { json } from '@offizin/testkit/http';
import { TestPlatform } from '@offizin/testkit/platform';

/** A person sets up the console in the own settings. */
const openScreen = useScreens();

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

it('shows times in the time zone of the person, on every page and after a reload', async () => {
  const { orgId } = await platform.organization();
  const person = await platform.person(orgId, 'pharmacist');
  const screen = await openScreen();
  const { page } = screen;
  await signInAs(screen, person);
  await page.goto('/console/settings/me');
  const zone = page.getByRole('combobox', { name: 'Zeitzone' });
  expect(await zone.inputValue()).toBe('Europe/Berlin');
  const sessions = await person.call('GET', '/api/sessions');
  const begun = json<{ data: { created_at: string }[] }>(sessions).data.at(0)?.created_at ?? '';
  await page
    .getByText(`seit ${timeIn('Europe/Berlin', begun)}`)
    .first()
    .waitFor();
  await zone.selectOption('Pacific/Auckland');
  await page.getByText('Gespeichert.').waitFor();
  await page
    .getByText(`seit ${timeIn('Pacific/Auckland', begun)}`)
    .first()
    .waitFor();
  await page.reload();
  await page
    .getByText(`seit ${timeIn('Pacific/Auckland', begun)}`)
    .first()
    .waitFor();
  expect(await zone.inputValue()).toBe('Pacific/Auckland');
});

/** Day and time to the minute, as in German. */
function timeIn(timeZone: string, time: string): string {
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = { ...day, hour: '2-digit', minute: '2-digit', timeZone } as const;
  return new Intl.DateTimeFormat('de', format).format(new Date(time));
}

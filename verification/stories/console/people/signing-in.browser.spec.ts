import { SIGNED_OUT, signInAs, useScreens } from '@offizin/testkit/browser/screen';
import { testEnvironment } from '@offizin/testkit/environment';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { newPharmacy } from '../requests/review-screen';

/** People come into the console, by an invitation or a password, and are kept out of it. */
const openScreen = useScreens();
const { baseUrl } = testEnvironment();

const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

it('leads from an invitation over a password into the console, once', async () => {
  const { person, url } = await platform.invite(organization.orgId, 'pharmacist');
  const screen = await openScreen();
  const { page } = screen;
  await page.goto(url);
  await page.getByRole('heading', { name: 'Willkommen bei Offizin' }).waitFor();
  expect(await page.getByLabel('E-Mail').inputValue()).toBe(person.email);
  const password = page.getByLabel('Neues Passwort');
  await password.fill('zu kurz');
  await screen.press('Enter');
  await page.getByText('weniger als 12 Zeichen').waitFor();
  await password.fill(person.password);
  await screen.press('Enter');
  await page.waitForURL('**/console/requests');

  const second = await openScreen();
  second.faults.expect(/status of 404 .*\/console\/api\/links\/read:/);
  await second.page.goto(url);
  await second.page.getByRole('heading', { name: 'Dieser Link gilt nicht mehr' }).waitFor();
});

it('takes the right password, by keyboard alone, and leads back to where the person was going', async () => {
  const person = await platform.person(organization.orgId, 'pharmacist');
  const screen = await openScreen();
  screen.faults.expect(SIGNED_OUT);
  await screen.page.goto('/console/requests?tab=asked');
  await screen.page.getByLabel('E-Mail').waitFor();
  await screen.page.keyboard.type(person.email);
  await screen.press('Tab');
  await screen.page.keyboard.type(person.password);
  await screen.press('Enter');
  await screen.page.waitForURL('**/console/requests?tab=asked');
  await screen.page.reload();
  await screen.page.getByRole('heading', { name: 'Anfragen' }).waitFor();
});

it('shows nothing of the first person after a second one signs in on the page before', async () => {
  const [first, second] = [
    await newPharmacy(platform, 'Anna Anders'),
    await newPharmacy(platform, 'Bodo Beck'),
  ];
  const screen = await openScreen();
  screen.faults.expect(SIGNED_OUT);
  const { page } = screen;
  const signIn = async ({ email, password }: TestPerson): Promise<void> => {
    await page.getByLabel('E-Mail').fill(email);
    await page.getByLabel('Passwort').fill(password);
    await screen.press('Enter');
  };
  await page.goto('/console/sign-in');
  await signIn(first.pharmacist);
  await page.getByRole('option').filter({ hasText: 'Anna Anders' }).waitFor();
  await page.goBack();
  let loads = 0;
  page.on('load', () => loads++);
  await signIn(second.pharmacist);
  await page.getByRole('option').filter({ hasText: 'Bodo Beck' }).waitFor();
  expect(loads).toBe(1);
  expect(await page.getByText('Anna Anders').count()).toBe(0);
});

describe('a call that another site could send', () => {
  let clerk: TestPerson;
  const call = async (headers: Record<string, string>, body: object | string = {}): Promise<number> =>
    (await clerk.call('PUT', '/api/me', body, headers)).status;

  beforeAll(async () => {
    clerk = await platform.person(organization.orgId, 'clerk');
    expect(await call(clerk.pageHeaders)).toBe(200);
  });

  it('is refused as the form of a page', async () => {
    const headers = { ...clerk.pageHeaders, 'content-type': 'text/plain' };
    expect(await call(headers, '{"undo_seconds":10}')).toBe(415);
  });

  it('sent by a page of another site carries no session', async () => {
    const screen = await openScreen();
    await signInAs(screen, clerk);
    // For cookies, localhost and 127.0.0.1 are two sites.
    const foreign = baseUrl.replace('127.0.0.1', 'localhost');
    await screen.page.goto(`${foreign}/.well-known/jwks.json`);
    screen.faults.expect(/status of 40[13]/, /policy violation/, /request failed/, /console error/);
    const sent = screen.page.waitForRequest('**/console/api/session');
    await screen.page.evaluate((target) => {
      void fetch(target, { method: 'DELETE', mode: 'no-cors', credentials: 'include' }).catch(() => null);
      void fetch(target, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).catch(
        () => null,
      );
    }, `${baseUrl}/console/api/session`);
    expect((await (await sent).allHeaders())['cookie']).toBeUndefined();
  });
});

import { useScreens } from '@offizin/testkit/browser/screen';
import { SIGNED_OUT, signInAs } from '@offizin/testkit/browser/signed-in';
import { json } from '@offizin/testkit/http';
import { startOidcProvider } from '@offizin/testkit/oidc-provider';
import { TestPlatform } from '@offizin/testkit/platform';

/** An owner names the provider of the pharmacy, and its people come in through it. */
const openScreen = useScreens();
const SECRET = 'a secret of the provider, long enough';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

it('is set up by an owner; then a person comes in through the provider, and reads why not', async () => {
  const { orgId } = await platform.organization();
  const [owner, pharmacist] = await Promise.all([
    platform.person(orgId, 'owner'),
    platform.person(orgId, 'pharmacist'),
  ]);
  const settings = json<{ redirect_uri: string }>(await owner.org('GET', '/settings/sign-on'));
  const client = { clientId: orgId, secret: SECRET, redirectUri: settings.redirect_uri };
  const provider = await startOidcProvider([client]);
  try {
    const screen = await openScreen();
    const { page } = screen;
    screen.faults.expect(/status of 400 .*\/settings\/sign-on:/, SIGNED_OUT);
    await signInAs(screen, owner);
    await page.goto('/console/settings/sign-on');
    const save = page.getByRole('button', { name: 'Speichern' });
    const issuer = page.getByLabel('Adresse des Anbieters');
    await issuer.fill(`${provider.issuer}/`);
    await page.getByLabel('Client-ID').fill(orgId);
    await page.getByLabel('Client-Secret').fill(SECRET);
    await save.click();
    await page.getByText(`names itself ${provider.issuer}`).waitFor();
    await issuer.fill(provider.issuer);
    await save.click();
    await page.getByText('Hinterlegt. Leer lassen').waitFor();
    expect(await page.getByLabel('Client-Secret').inputValue()).toBe('');
    expect(await page.getByRole('textbox', { name: 'Weiterleitungsadresse' }).inputValue()).toBe(
      settings.redirect_uri,
    );
    const link = await page.getByRole('textbox', { name: 'Link zum Anmelden' }).inputValue();
    await screen.keepScreenshot('sign-on-settings');
    await owner.call('DELETE', '/api/session');

    const signOn = page.getByRole('button', { name: 'Mit dem Konto Ihrer Organisation anmelden' });
    const account = page.getByLabel('Account');
    await page.goto(link);
    await signOn.click();
    await account.fill('refuse');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').getByText('Der Anbieter hat Sie nicht angemeldet').waitFor();
    await screen.keepScreenshot('sign-on-refused');
    await signOn.click();
    await account.fill(pharmacist.email);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/console/requests');
    await page.getByRole('heading', { name: 'Anfragen' }).waitFor();
  } finally {
    await provider.stop();
  }
});

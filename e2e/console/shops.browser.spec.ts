import { useScreens } from '@offizin/testkit/browser/screen';
import { signInAs } from '@offizin/testkit/browser/signed-in';
import { json } from '@offizin/testkit/http';
import { TestPlatform } from '@offizin/testkit/platform';

/** The owner changes a shop. */
const openScreen = useScreens();

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

it('renames, moves and closes a shop, and says why a domain is refused', async () => {
  const { orgId, shops } = await platform.organization();
  const owner = await platform.person(orgId, 'owner');
  const [shop, other] = shops;
  const screen = await openScreen();
  await signInAs(screen, owner);
  const { page } = screen;
  await page.goto('/console/settings/shops');
  const row = page
    .getByRole('list', { name: 'Shops' })
    .getByRole('listitem')
    .filter({ hasText: shop.domain });
  await row.getByRole('button', { name: /ändern$/ }).click();
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Speichern' });
  expect(await save.isDisabled()).toBe(true);
  const domain = dialog.getByLabel('Domain');
  screen.faults.expect(/status of 400 .*\/shops\//, /status of 409 .*\/shops\//);
  await domain.fill('https://x.example/');
  await save.click();
  await dialog.getByText('Das ist keine Domain').waitFor();
  await domain.fill(other.domain);
  await save.click();
  await dialog.getByText(`Die Domain ${other.domain} gehört schon zu einem Shop.`).waitFor();
  await domain.fill(`neu.${shop.domain}`);
  await dialog.getByLabel('Name').fill('Filiale am Markt');
  await dialog.getByText('geschlossen', { exact: true }).click();
  await save.click();
  const moved = page.getByRole('listitem').filter({ hasText: `neu.${shop.domain}` });
  await moved.getByText('Filiale am Markt').waitFor();
  await moved.getByText('geschlossen', { exact: true }).waitFor();
  expect(json(await owner.org('GET', `/shops/${shop.shopId}`))).toMatchObject({
    shop_id: shop.shopId,
    name: 'Filiale am Markt',
    domain: `neu.${shop.domain}`,
    is_active: false,
  });

  // Another owner changes the shop while the dialog is open.
  await moved.getByRole('button', { name: /ändern$/ }).click();
  await dialog.getByLabel('Name').fill('Filiale am Tor');
  await owner.org('PUT', `/shops/${shop.shopId}`, { is_active: true });
  screen.faults.expect(/status of 412 .*\/shops\//);
  await save.click();
  await dialog.getByText('Inzwischen hat jemand den Shop geändert.').waitFor();
  await dialog.getByRole('button', { name: /^Neuen Stand zeigen/ }).click();
  await dialog.getByLabel('Name').and(page.locator('[value="Filiale am Markt"]')).waitFor();
  await dialog.getByLabel('Name').fill('Filiale am Tor');
  await save.click();
  await page.getByText('Filiale am Tor ist geändert.').waitFor();
  expect(json(await owner.org('GET', `/shops/${shop.shopId}`))).toMatchObject({
    name: 'Filiale am Tor',
    is_active: true,
  });
});

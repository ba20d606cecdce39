import { type Screen, openAs, useScreens } from '@offizin/testkit/browser/screen';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { ListScreen } from './orders/list-screens';

/** Products in the console: where the price of a product at a shop comes from, and what can be done about it. */
const openScreen = useScreens();
/** Less than the time after which a screen without the stream asks again. */
const SOON_MS = 15_000;

const platform = usePlatform();

async function openProducts(screen: Screen, person: TestPerson, search = ''): Promise<ListScreen> {
  await openAs(screen, person, `/console/products${search}`);
  return new ListScreen(screen, { list: 'Produkte', object: 'Produkt' });
}

async function priceAt(organization: TestOrganization, id: string, shop: number): Promise<number> {
  const shopId = organization.shops[shop]?.shopId ?? '';
  return json<{ price: number }>(await organization.api('GET', `/products/${id}?shop_id=${shopId}`)).price;
}

/** The cells of the layers, from the catalog on; the one that counts says so. */
async function untilPrices(products: ListScreen, text: string): Promise<void> {
  await products.detail.getByRole('row', { name: `Preis ${text}`, exact: true }).waitFor();
}

/** The stream may tell the change before the dialog has its answer; a key would then go into the dialog. */
async function send(products: ListScreen): Promise<void> {
  await products.press('Enter');
  await products.dialog.waitFor({ state: 'detached' });
}

it('shows where a price comes from: catalog, pharmacy or shop, and changes each layer by keys', async () => {
  const organization = await platform.organization();
  const [id = ''] = await platform.catalogProducts(1);
  const clerk = await platform.person(organization.orgId, 'clerk');
  const screen = await openScreen();
  const products = await openProducts(screen, clerk);
  await products.page.goto('/console/settings/me');
  await products.page.locator('main form').first().waitFor();
  await products.press('g', 'p');
  await products.page.getByText('Noch keine Produkte').waitFor();
  await products.press('n');
  await products.dialog.waitFor();
  await products.type(id);
  await products.dialog.getByRole('menuitem', { name: `Produkt ${id}` }).click();
  await products.dialog.getByLabel('Anfangsbestand in Stück').fill('10');
  await send(products);
  await products.untilOpen(`Produkt ${id}`);
  await untilPrices(products, '4,50 € gilt – –');
  await products.press('a');
  await products.message(/: jetzt im Shop /).waitFor();

  const elsewhere = { shop_id: organization.shops[1].shopId, p1_id: id };
  await organization.api('POST', '/shops/attach-product', elsewhere);

  await products.press('Shift+e');
  await products.dialog.getByText('Leer gilt: 4,50 €').waitFor();
  await products.type('8');
  await send(products);
  await untilPrices(products, '4,50 € 8,00 € gilt –');
  await products.press('e');
  await products.dialog.getByText('Leer gilt: 8,00 €').waitFor();
  await products.type('1.234');
  await products.dialog.getByText('Bitte geben Sie einen Betrag ein, etwa 12,50.').waitFor();
  expect(await products.dialog.getByRole('button', { name: 'Speichern' }).isEnabled()).toBe(false);
  await products.dialog.getByLabel('Preis in Euro').fill('7,5');
  await screen.keepScreenshot('product-values');
  await send(products);
  await untilPrices(products, '4,50 € 8,00 € 7,50 € gilt');
  expect([await priceAt(organization, id, 0), await priceAt(organization, id, 1)]).toEqual([7.5, 8]);

  await products.press('e');
  await products.dialog.getByLabel('Preis in Euro').fill('');
  await send(products);
  await untilPrices(products, '4,50 € 8,00 € gilt –');
  expect(await priceAt(organization, id, 0)).toBe(8);
});

it('shows and changes PZN and GTIN, finds products by them, and names the product that has a code', async () => {
  const organization = await platform.organization();
  const [id = '', other = ''] = await platform.catalogProducts(2);
  for (const each of [id, other]) await organization.stock(each, 5);
  await organization.api('PUT', `/products/${other}`, { pzn: '27580899' });
  const clerk = await platform.person(organization.orgId, 'clerk');
  const screen = await openScreen();
  screen.faults.expect(/status of 409 /);
  const products = await openProducts(screen, clerk);
  await products.row(id).click();
  await products.untilOpen(`Produkt ${id}`);
  await products.press('Shift+e');
  const { dialog } = products;
  await dialog.getByLabel('PZN').fill('3752865');
  await dialog.getByText('Das ist keine PZN').waitFor();
  expect(await dialog.getByRole('button', { name: 'Speichern' }).isEnabled()).toBe(false);
  await dialog.getByLabel('PZN').fill('27580899');
  await dialog.getByLabel('GTIN').fill('4006381333931 73513537');
  await screen.keepScreenshot('product-codes');
  await dialog.getByRole('button', { name: 'Speichern' }).click();
  await dialog.getByText(`27580899 gehört schon zu „Produkt ${other}“.`).waitFor();
  await dialog.getByLabel('PZN').fill('3752864');
  await send(products);
  await products.detail.getByRole('row', { name: 'PZN – 03752864 gilt –', exact: true }).waitFor();
  await products.detail
    .getByRole('row', { name: 'GTIN – 04006381333931, 00000073513537 gilt –', exact: true })
    .waitFor();

  await openProducts(screen, clerk, '?q=3752864');
  await products.row(id).waitFor();
  expect(await products.row(other).count()).toBe(0);
});

it('has each shop apart, and asks before a product leaves one', async () => {
  const organization = await platform.organization();
  const [id = '', other = ''] = await platform.catalogProducts(2);
  await organization.stock(id, 5);
  await organization.stock(other, 0);
  const attached = { shop_id: organization.shops[1].shopId, p1_id: id, overrides: { price: 3 } };
  expect((await organization.api('POST', '/shops/attach-product', attached)).status).toBe(201);
  const owner = await platform.person(organization.orgId, 'owner');
  const search = `?shop=${organization.shops[1].shopId}&attached=true`;
  const products = await openProducts(await openScreen(), owner, search);
  await products.row(id).waitFor();
  expect(await products.row(other).count()).toBe(0);
  await products.row(id).click();
  await untilPrices(products, '4,50 € – 3,00 € gilt');
  const question = products.page.getByRole('alertdialog');
  await products.press('d');
  await question.getByText(/Seine eigenen Werte werden gelöscht/).waitFor();
  await products.press('Escape');
  await question.waitFor({ state: 'detached' });
  await products.press('d');
  await question.getByRole('button', { name: 'Aus dem Shop nehmen' }).click();
  await products.message(/: nicht mehr im Shop /).waitFor();
  await untilPrices(products, '4,50 € gilt – –');
  await products.page.getByText('In diesem Shop ist noch kein Produkt').waitFor();
  await products.page.getByRole('button', { name: /^Nicht im Shop 2$/ }).click();
  await products.row(other).click();
  await products.detail.getByText('Ohne Bestand kommt das Produkt in keinen Shop.').waitFor();
  await products.detail.getByRole('link', { name: 'Zum Bestand' }).click();
  await products.page.getByRole('heading', { level: 1, name: 'Bestand' }).waitFor();
});

it('attaches and detaches what is selected, and names each product that was refused and why', async () => {
  const organization = await platform.organization();
  const [first = '', second = '', empty = ''] = await platform.catalogProducts(3);
  for (const id of [first, second]) await organization.stock(id, 5);
  await organization.stock(empty, 0);
  const clerk = await platform.person(organization.orgId, 'clerk');
  const screen = await openScreen();
  screen.faults.expect(/status of 4(04|09) /);
  const products = await openProducts(screen, clerk);
  await products.row(first).waitFor();
  const refused = products.page.getByRole('list', { name: 'Nicht geändert' }).getByRole('listitem');
  const act = async (key: string, button: string) => {
    await products.press(key);
    await products.page.getByRole('alertdialog').getByRole('button', { name: button }).click();
  };

  await products.press('Shift+a', 'a');
  await products.page.getByRole('alertdialog', { name: 'In den Shop aufnehmen: 3' }).waitFor();
  await products.press('Escape');
  await act('a', 'In den Shop aufnehmen');
  await products.page.getByText('Im Shop: 2. Nicht aufgenommen: 1.').waitFor();
  expect(await refused.allInnerTexts()).toEqual([
    expect.stringMatching(new RegExp(`${empty}: Der Bestand reicht nicht`)),
  ]);
  await screen.keepScreenshot('products-bulk-refused');
  await products.press('Escape');
  await products.page.getByRole('group', { name: '1 Produkt ausgewählt' }).waitFor();
  await products.page.getByRole('button', { name: /^Im Shop 2$/ }).waitFor();

  await products.press('Shift+a');
  await act('d', 'Aus dem Shop nehmen');
  await products.page.getByText('Nicht mehr im Shop: 2. Nicht geändert: 1.').waitFor();
  expect(await refused.allInnerTexts()).toEqual([
    expect.stringMatching(new RegExp(`${empty}: Ist nicht in diesem Shop`)),
  ]);
});

it('shows a pharmacist changes by others, and lets them change nothing', async () => {
  const organization = await platform.organization();
  const [id = ''] = await platform.catalogProducts(1);
  await organization.stock(id, 5);
  const product = { shop_id: organization.shops[0].shopId, p1_id: id };
  await organization.api('POST', '/shops/attach-product', product);
  const pharmacist = await platform.person(organization.orgId, 'pharmacist');
  const search = `?shop=${product.shop_id}&id=${id}`;
  const products = await openProducts(await openScreen(), pharmacist, search);
  await products.detail.getByText('Ihre Rolle darf Produkte ansehen, aber nicht ändern.').waitFor();
  await products.press('e', 'd', 'n');
  expect(await products.dialog.count()).toBe(0);
  await organization.api('POST', '/shops/product-overrides', { ...product, overrides: { price: 2 } });
  await products.row(id).getByText('2,00 €').first().waitFor({ timeout: SOON_MS });
  await untilPrices(products, '4,50 € – 2,00 € gilt');
});

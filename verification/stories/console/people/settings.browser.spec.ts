import type { Page } from 'playwright-core';
import { axeFindings } from '@offizin/testkit/browser/page-checks';
import { choose, picker } from '@offizin/testkit/browser/pickers';
import { type Screen, SIGNED_OUT, openAs, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { http, json } from '@offizin/testkit/http';
import { startOidcProvider } from '@offizin/testkit/oidc-provider';
import { usePlatform } from '@offizin/testkit/platform';

const openScreen = useScreens();
const platform = usePlatform();

/** A person sets up the console in the own settings. */
describe('the own settings', () => {
  it('shows times in the time zone of the person, on every page and after a reload', async () => {
    const { orgId } = await platform.organization();
    const person = await platform.person(orgId, 'pharmacist');
    const page = await openAs(await openScreen(), person, '/console/settings/me');
    const zone = picker(page, 'Zeitzone');
    expect(await zone.textContent()).toBe('Europe/Berlin');
    const sessions = await person.call('GET', '/api/sessions');
    const begun = json<{ data: { created_at: string }[] }>(sessions).data.at(0)?.created_at ?? '';
    await page
      .getByText(`seit ${timeIn('Europe/Berlin', begun)}`)
      .first()
      .waitFor();
    await choose(page, 'Zeitzone', 'Pacific/Auckland');
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
    expect(await zone.textContent()).toBe('Pacific/Auckland');
  });

  /** Day and time to the minute, as in German. */
  function timeIn(timeZone: string, time: string): string {
    const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    const format = { ...day, hour: '2-digit', minute: '2-digit', timeZone } as const;
    return new Intl.DateTimeFormat('de', format).format(new Date(time));
  }
});

/** The life of a key, from the owner's screen: created, shown once, replaced, revoked. */
describe('API keys', () => {
  let screen: Screen;
  let page: Page;

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
    await openAs(screen, await platform.person(orgId, 'owner'), '/console/settings/keys');
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
});

/** The owner changes a shop. */
describe('shops', () => {
  it('renames, moves and closes a shop, and states why a domain is refused', async () => {
    const { orgId, shops } = await platform.organization();
    const owner = await platform.person(orgId, 'owner');
    const [shop, other] = shops;
    const screen = await openScreen();
    const page = await openAs(screen, owner, '/console/settings/shops');
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
    await dialog.getByRole('button', { name: /^Neuen Stand laden/ }).click();
    await dialog.getByLabel('Name').and(page.locator('[value="Filiale am Markt"]')).waitFor();
    await dialog.getByLabel('Name').fill('Filiale am Tor');
    await save.click();
    await page.getByText('Filiale am Tor ist geändert.').waitFor();
    expect(json(await owner.org('GET', `/shops/${shop.shopId}`))).toMatchObject({
      name: 'Filiale am Tor',
      is_active: true,
    });

    await page.getByRole('button', { name: 'Neuer Test-Shop' }).click();
    await dialog.getByLabel('Name').fill('Probe');
    await domain.fill(`test.neu.${shop.domain}`);
    await save.click();
    await page.getByText('Probe ist angelegt.').waitFor();
    const made = page.getByRole('listitem').filter({ hasText: 'Probe' });
    await made.getByText('Test', { exact: true }).waitFor();
  });
});

/** The owner draws the workflow of orders. */
describe('the workflow', () => {
  const WORKFLOW = '/settings/workflow';

  interface Stored {
    mode: string;
    transitions: Record<string, string[]>;
  }

  it('tries a changed workflow before it is saved, and gives the standard back', async () => {
    const { person: owner } = await platform.staffed('owner');
    const stored = async () => json<Stored>(await owner.org('GET', WORKFLOW));
    const standard = await stored();
    const page = await openAs(await openScreen(), owner, '/console/settings/workflow');
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
    await page.getByRole('button', { name: 'Neuen Stand laden und eigene Änderungen verwerfen' }).click();
    await step.and(page.locator('[aria-pressed=true]')).waitFor();
    await page.getByText('Jeder Status darf auf jeden folgen.').waitFor();
  });
});

/** An owner names the provider of the pharmacy, and its people come in through it. */
describe('single sign-on', () => {
  const SECRET = 'a secret of the provider, long enough';

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
      screen.faults.expect(/status of 400 .*\/settings\/sign-on:/, SIGNED_OUT);
      const page = await openAs(screen, owner, '/console/settings/sign-on');
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
});

it('an empty pharmacy shows its owner the first steps, ticked by what there is, until all are done', async () => {
  const orgId = await platform.emptyOrganization();
  const owner = await platform.person(orgId, 'owner');
  const screen = await openScreen();
  const page = await openAs(screen, owner, '/console/');
  const steps = page.getByRole('region', { name: 'Die ersten Schritte' });
  const done = steps.getByRole('img', { name: 'Erledigt' });
  await steps.getByRole('listitem').nth(3).waitFor();
  expect(await done.count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await screen.keepScreenshot('first-steps');
  for (const [step, path] of [
    ['Shop anlegen', 'settings/shops'],
    ['Produkte aufnehmen', 'products'],
    ['Schlüssel anlegen', 'settings/keys'],
    ['Team einladen', 'settings/staff'],
  ] as const) {
    await steps.getByRole('link', { name: step }).click();
    await page.waitForURL(`**/console/${path}*`);
    await page.goBack();
  }
  await platform.shop(orgId, `first-${orgId.slice(-12)}`);
  const other = await platform.person(orgId, 'owner');
  await page.reload();
  await eventually('two steps to be done', async () => (await done.count()) === 2);
  await steps.getByRole('button', { name: 'Nicht mehr zeigen' }).click();
  await page.getByText('Noch keine Anfragen').waitFor();
  await page.reload();
  await page.getByText('Noch keine Anfragen').waitFor();
  expect(await steps.count()).toBe(0);

  const theirs = await openScreen({ width: 390, theme: 'dark' });
  await openAs(theirs, other, '/console/');
  const others = theirs.page.getByRole('region', { name: 'Die ersten Schritte' });
  await others.getByRole('img', { name: 'Erledigt' }).nth(1).waitFor();
  await theirs.keepScreenshot('first-steps-390-dark');
  await platform.apiKey(orgId, { kind: 'int' });
  const [p1_id] = await platform.catalogProducts(1);
  const product = await other.org('POST', '/products/add-to-inventory', { p1_id, initial_stock: 3 });
  expect(product.status).toBe(201);
  await theirs.page.reload();
  await theirs.page.getByText('Noch keine Anfragen').waitFor();
});

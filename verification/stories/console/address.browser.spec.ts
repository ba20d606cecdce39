import { buffer } from 'node:stream/consumers';
import { axeFindings, cutPlaceholders } from '@offizin/testkit/browser/page-checks';
import { choicesOf, choose, picker } from '@offizin/testkit/browser/pickers';
import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { orderRequest } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { newPharmacy, ReviewScreen, submitRight } from './requests/review-screen';

/** The address holds the state of the screen. Without a connection the screen stays, and decisions are disabled. */
const openScreen = useScreens();
const platform = usePlatform();

it('keeps filter and selection over reload, back, and in a second tab', async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Anna Anders', 'Bodo Beck');
  await organization.submit(
    orderRequest({ customer_name: 'Carla Conrad', shipping_option: 'Express' }, { source: 'partner-zwei' }),
  );
  const screen = await openScreen();
  const review = await ReviewScreen.armed('Bodo Beck', screen, pharmacist, '?q=beck');
  expect(await review.row('Anna Anders').count()).toBe(0);
  const saving = review.page.waitForEvent('download');
  await review.press('Shift+E');
  const rows = (await buffer(await (await saving).createReadStream())).toString().trimEnd().split('\r\n');
  expect(rows).toHaveLength(2);
  expect(rows[1]).toContain(';"Bodo Beck";');
  await screen.keepScreenshot('requests-filtered');
  const address = review.page.url();
  expect(new URL(address).searchParams.get('q')).toBe('beck');
  expect(new URL(address).searchParams.get('id')).not.toBeNull();
  await review.page.reload();
  await review.untilArmed('Bodo Beck');
  expect(review.page.url()).toBe(address);

  await review.page.goto('/console/requests?flag=express');
  await review.untilArmed('Carla Conrad');
  expect(await review.list.getByRole('option').count()).toBe(1);
  await review.page.goBack();
  await review.untilArmed('Bodo Beck');

  await review.page.goto('/console/requests?flag=express&tab=nix&more=1');
  await review.untilArmed('Carla Conrad');
  expect([...new URL(review.page.url()).searchParams.keys()].sort()).toEqual(['flag', 'id']);
  await review.page.getByRole('button', { name: 'Filter entfernen: Hinweis: Express' }).click();
  await review.row('Anna Anders').waitFor();
  await review.page.goto(address);

  const tab = await screen.context.newPage();
  await tab.goto(address);
  await tab.getByRole('option', { selected: true }).filter({ hasText: 'Bodo Beck' }).waitFor();
});

it('filters by hint, source and outcome, each a chip that the address and a file keep', async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const payload = { customer_name: 'Carla Conrad', shipping_option: 'Express' } as const;
  await organization.submit(orderRequest(payload, { source: 'partner-zwei' }));
  const gone = await submitRight(organization, 'Bodo Beck');
  await pharmacist.org('POST', `/order-requests/${gone}/reject`, { reason: 'other' });
  const screen = await openScreen();
  const review = await ReviewScreen.openedBy(screen, pharmacist);
  const { page } = review;
  const filterBy = async (label: string, name: string): Promise<void> => {
    if (!(await picker(page, label).isVisible()))
      await page.getByRole('button', { name: /^Filter und Reihenfolge/ }).click();
    await choose(page, label, name);
  };
  await review.row('Anna Anders').waitFor();
  await filterBy('Quelle', 'partner-zwei');
  await filterBy('Hinweis', 'Express');
  await eventually('one row', async () => (await review.list.getByRole('option').count()) === 1);
  await page.reload();
  await review.row('Carla Conrad').waitFor();
  expect(await review.row('Anna Anders').count()).toBe(0);
  await screen.keepScreenshot('requests-chips');
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Filter entfernen: Quelle: partner-zwei' }).click();
  await page.getByRole('button', { name: 'Filter entfernen: Hinweis: Express' }).click();
  await review.row('Anna Anders').waitFor();

  await page.getByRole('button', { name: 'Entschieden' }).click();
  await review.row('Bodo Beck').waitFor();
  await filterBy('Ergebnis', 'Freigegeben');
  await page.getByText('Keine Anfrage passt zu diesem Filter').waitFor();
  await filterBy('Ergebnis', 'Abgelehnt');
  await review.row('Bodo Beck').waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('rejected');
});

it.each(['de', 'en'])('says in the search of the inbox what it finds, in %s', async (language) => {
  const { pharmacist } = await newPharmacy(platform, 'Anna Anders');
  await pharmacist.call('PUT', '/api/me', { language });
  const { page } = await ReviewScreen.openedBy(await openScreen(), pharmacist);
  await page.getByRole('option').filter({ hasText: 'Anna Anders' }).waitFor();
  for (const width of [1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await cutPlaceholders(page)]).toEqual([width, []]);
  }
});

it('picks a filter by keyboard alone, without a key of the page', async () => {
  const { pharmacist } = await newPharmacy(platform, 'Anna Anders', 'Bodo Beck');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  const { page } = review;
  const filters = page.getByRole('button', { name: /^Filter und Reihenfolge/ });
  if (await filters.isVisible()) await filters.click();
  const order = picker(page, 'Reihenfolge');
  const chosen = choicesOf(page, 'Reihenfolge').and(page.locator('[aria-selected=true]:focus'));
  await order.focus();
  await review.press('ArrowDown');
  await chosen.waitFor();
  await review.press('a', 'Escape');
  await choicesOf(page, 'Reihenfolge').first().waitFor({ state: 'detached' });
  expect(await order.textContent()).toBe('Älteste zuerst');
  expect(new URL(page.url()).searchParams.has('sort')).toBe(false);
  expect(await review.row('Anna Anders').count()).toBe(1);
  await page.locator('[role=combobox]:focus').and(order).waitFor();
  // The letters of a name find it.
  await review.press('Enter');
  await chosen.waitFor();
  await review.press('n', 'e', 'u', 'Enter');
  await eventually('the sort in the address', () => {
    return Promise.resolve(new URL(page.url()).searchParams.get('sort') === 'newest');
  });
  expect(await order.textContent()).toBe('Neueste zuerst');
  await review.list.getByRole('option').first().filter({ hasText: 'Bodo Beck' }).waitFor();
});

it('moves through the list by keys, which adds no steps to the history', async () => {
  const { pharmacist } = await newPharmacy(platform, 'Anna Anders', 'Bodo Beck', 'Carla Conrad');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  const steps = await review.page.evaluate<number>('history.length');
  await review.press('j');
  await review.untilArmed('Bodo Beck');
  await review.press('j', 'j');
  await review.untilArmed('Carla Conrad');
  await review.press('k');
  await review.untilArmed('Bodo Beck');
  expect(await review.page.evaluate('history.length')).toBe(steps);
});

it('searches a customer from the palette, whose field stays where it is', async () => {
  const { pharmacist } = await newPharmacy(platform, 'Anna Anders', 'Bodo Beck');
  const review = await ReviewScreen.openedBy(await openScreen(), pharmacist);
  await review.row('Anna Anders').waitFor();
  await review.press('Control+k');
  const field = review.dialog.getByRole('searchbox');
  const before = await field.boundingBox();
  await field.fill('bodo');
  const search = review.page.getByRole('menuitem', { name: 'In Anfragen suchen: bodo' });
  await search.waitFor();
  expect(await field.boundingBox()).toEqual(before);
  await search.click();
  await review.row('Anna Anders').waitFor({ state: 'detached' });
  expect(new URL(review.page.url()).searchParams.get('q')).toBe('bodo');
});

it('finds requests and orders of the whole pharmacy from the palette, and states when it cannot', async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const { id } = await organization.createOrder({ customer_name: 'Bodo Anders', order_number: 'B-77' });
  const screen = await openScreen();
  const review = await ReviewScreen.openedBy(screen, pharmacist);
  await review.row('Anna Anders').waitFor();
  await review.press('Control+k');
  const field = review.dialog.getByRole('searchbox');
  const found = (name: RegExp) => review.dialog.getByRole('menuitem', { name });
  await field.fill('anders');
  await review.dialog.getByText('2 Treffer').waitFor();
  await found(/^Anna Anders/).waitFor();
  expect(await axeFindings(review.page)).toEqual([]);
  await screen.keepScreenshot('palette-found');
  screen.faults.expect(/ERR_INTERNET_DISCONNECTED/);
  await screen.context.setOffline(true);
  await field.fill('bodo');
  await review.dialog.getByText(/^Suche nicht möglich/).waitFor();
  await screen.context.setOffline(false);
  await field.fill('B-77');
  await found(/^Bodo Anders/).waitFor();
  // Past the searches for its words in requests, orders and the recall.
  await review.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  await review.page.getByRole('heading', { name: 'Bodo Anders' }).waitFor();
  expect(new URL(review.page.url()).searchParams.get('id')).toBe(id);
});

it('states that there is no connection, forbids decisions, and goes on when it is back', async () => {
  const { pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const screen = await openScreen();
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  screen.faults.expect(/ERR_INTERNET_DISCONNECTED/);
  await screen.context.setOffline(true);
  await review.page.getByText('Keine Verbindung:').first().waitFor();
  await eventually('approving to be forbidden', () => review.approve.isDisabled());
  await review.press('a');
  expect(await review.message(/wird freigegeben/).count()).toBe(0);
  expect(await review.row('Anna Anders').count()).toBe(1);
  await screen.context.setOffline(false);
  await review.untilArmed('Anna Anders');
  await review.press('q');
  await review.dialog.getByRole('textbox').fill('Welche Menge?');
  await screen.context.setOffline(true);
  await review.message(/^Keine Verbindung: .* Der Dialog wurde geschlossen/).waitFor();
  await screen.context.setOffline(false);
  await review.untilArmed('Anna Anders');
  await review.press('q');
  expect(await review.dialog.getByRole('textbox').inputValue()).toBe('Welche Menge?');
});

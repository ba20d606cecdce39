import type { Locator } from 'playwright-core';
import { axeFindings } from '@offizin/testkit/browser/page-checks';
import { useScreens } from '@offizin/testkit/browser/screen';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { newOrder, OrdersScreen } from './orders/list-screens';

/** Saved views and chosen columns: what one person saves, and what a colleague sees of it. */
const openScreen = useScreens();
const platform = usePlatform();
let organization: TestOrganization;
let owner: TestPerson;
let clerk: TestPerson;

beforeAll(async () => {
  organization = await platform.organization();
  [owner, clerk] = await Promise.all([
    platform.person(organization.orgId, 'owner'),
    platform.person(organization.orgId, 'clerk'),
  ]);
  await newOrder(organization, 'Anna Anders');
  const packing = await newOrder(organization, 'Bodo Beck');
  await organization.api('PATCH', `/orders/${packing}/status`, { status: 'awaiting_packing' });
});

class ViewsOfOrders {
  constructor(readonly orders: OrdersScreen) {}

  async pick(item: string | RegExp): Promise<void> {
    await this.button(/^Ansicht/).waitFor();
    await this.orders.press('Shift+V');
    await this.item(item).click();
  }

  item(name: string | RegExp): Locator {
    return this.orders.page.getByRole('menu').getByRole('menuitem', { name });
  }

  button(name: string | RegExp): Locator {
    return this.orders.page.getByRole('button', { name, exact: true });
  }

  column(name: string): Locator {
    return this.orders.table.getByRole('columnheader', { name });
  }

  /** Takes one away. */
  async dropColumn(name: string): Promise<void> {
    await this.orders.press('Shift+C');
    await this.orders.dialog.getByRole('checkbox', { name }).uncheck();
    await this.orders.dialog.getByRole('button', { name: 'Übernehmen' }).click();
    await this.column(name).waitFor({ state: 'detached' });
  }

  async save(name: string, forAll = false): Promise<void> {
    await this.pick('Als Ansicht speichern …');
    await this.named(name, forAll);
  }

  /** Fills the dialog in. */
  async named(name: string, forAll = false): Promise<void> {
    await this.orders.type(name);
    if (forAll) await this.orders.dialog.getByRole('checkbox', { name: 'Für alle' }).check();
    await this.orders.dialog.getByRole('button', { name: 'Speichern' }).click();
    await this.orders.dialog.waitFor({ state: 'detached' });
    await this.button(`Ansicht: ${name}`).waitFor();
  }

  get search(): URLSearchParams {
    return new URL(this.orders.page.url()).searchParams;
  }
}

async function opened(person: TestPerson, search = ''): Promise<ViewsOfOrders> {
  return new ViewsOfOrders(await OrdersScreen.openedBy(await openScreen(), person, search));
}

it('keeps filter and columns under a name, for reload and back', async () => {
  const mine = await opened(owner);
  const { orders } = mine;
  await orders.row('Anna Anders').waitFor();
  // Without a view, columns are a setting of the person.
  await mine.dropColumn('Zahlung');
  expect(mine.search.size).toBe(0);
  await orders.tab(/^Zu packen/).click();
  await orders.row('Anna Anders').waitFor({ state: 'detached' });
  await mine.save('Packen');
  const view = mine.search.get('view');
  await mine.pick('Ohne Ansicht');
  await orders.row('Anna Anders').waitFor();
  await orders.page.goBack();
  await mine.button('Ansicht: Packen').waitFor();
  expect([mine.search.get('status'), mine.search.get('view')]).toEqual(['awaiting_packing', view]);

  // Changed, kept by a reload, and then part of the view.
  await mine.dropColumn('Kunde');
  await orders.page.reload();
  await mine.button('Ansicht: Packen, geändert').waitFor();
  const columns = 'number,status,shop,lines,total,delivery,age';
  expect([await mine.column('Kunde').count(), mine.search.get('columns')]).toEqual([0, columns]);
  await orders.press('Shift+V');
  await mine.item('Packen, gewählt').waitFor();
  expect(await axeFindings(orders.page)).toEqual([]);
  await orders.screen.keepScreenshot('views-menu-changed');
  await mine.item('„Packen“ aktualisieren').click();
  await mine.button('Ansicht: Packen').waitFor();
  expect(mine.search.has('columns')).toBe(false);
  await mine.pick('Ohne Ansicht');
  await mine.column('Kunde').waitFor();
  expect(await mine.column('Zahlung').count()).toBe(0);
});

it('shows a shared view to a colleague with the link, and of a personal one its rows', async () => {
  const mine = await opened(owner, '?status=awaiting_packing');
  const { orders } = mine;
  await mine.save('Für alle', true);
  const theirs = await opened(clerk, new URL(orders.page.url()).search);
  await theirs.button('Ansicht: Für alle').waitFor();
  await theirs.orders.row('Bodo Beck').waitFor();
  await theirs.orders.press('Shift+V');
  await theirs.item('Für alle, gewählt').waitFor();
  expect(await theirs.item(/^Umbenennen|^Entfernen|^Mit allen|^Nicht mehr/).count()).toBe(0);
  await theirs.item(/^Als Ansicht/).click();
  await theirs.named('Nur ich');

  await orders.page.goto(theirs.orders.page.url());
  await orders.row('Bodo Beck').waitFor();
  await mine.button('Ansichten').waitFor();
  expect(await orders.row('Anna Anders').count()).toBe(0);

  await mine.pick('Für alle');
  await mine.pick('Entfernen …');
  await orders.page.getByRole('alertdialog').getByRole('button', { name: 'Entfernen' }).click();
  await mine.button('Ansichten').waitFor();
  expect(mine.search.get('status')).toBe('awaiting_packing');
});

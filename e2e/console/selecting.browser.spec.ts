import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { TestPlatform } from '@offizin/testkit/platform';
import { newOrder, OrdersScreen, storedOrder } from './orders-screen';
import { withPrinter } from './printer';

/** Several orders at once: selecting, one status for all with one refusal, printing. */
const openScreen = useScreens();

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

const CUSTOMERS = ['Anna Anders', 'Bodo Beck', 'Carla Conrad', 'Dora Dietz', 'Emil Ernst', 'Frieda Funk'];

it('gives selected orders one status, and says which one was refused and why', async () => {
  const organization = await platform.organization();
  const clerk = await platform.person(organization.orgId, 'clerk');
  const ids: string[] = [];
  for (const customer of CUSTOMERS) ids.push(await newOrder(organization, customer));
  await organization.api('PATCH', `/orders/${ids[1]}/status`, { status: 'completed' });
  const screen = await openScreen();
  screen.faults.expect(/status of 409 /);
  const orders = await OrdersScreen.openedBy(screen, clerk, '?sort=oldest');
  const box = (customer: string) => orders.page.getByRole('checkbox', { name: `${customer} auswählen` });
  await orders.row('Anna Anders').waitFor();
  await orders.press('j', 'x', 'j', 'j', 'Shift+x');
  for (const customer of CUSTOMERS.slice(0, 3)) expect(await box(customer).isChecked()).toBe(true);
  await box('Emil Ernst').click({ modifiers: ['Shift'] });
  await box('Anna Anders').click();
  expect(await orders.detail.count()).toBe(0);
  const acts = orders.page.getByRole('group', { name: '4 Aufträge ausgewählt' });
  await acts.waitFor();
  // A filter hides them; they stay selected.
  await orders.tab(/^Abgeschlossen/).click();
  await orders.row('Dora Dietz').waitFor({ state: 'detached' });
  await acts.waitFor();
  await orders.tab(/^Alle/).click();
  await orders.row('Dora Dietz').waitFor();

  await orders.press('s');
  await orders.page.getByRole('alertdialog', { name: 'Neuer Status für 4 Aufträge' }).waitFor();
  await orders.page
    .getByRole('button', { name: /^Versendet/ })
    .last()
    .click();
  await orders.page.getByText('3 sind jetzt „Versendet“, 1 nicht:').waitFor();
  const refused = orders.page.getByRole('list', { name: 'Nicht geändert' }).getByRole('listitem');
  expect(await refused.allInnerTexts()).toEqual([
    expect.stringMatching(/^Bodo Beck .*Im jetzigen Status geht das nicht\.$/),
  ]);
  await screen.keepScreenshot('orders-bulk-refused');
  await orders.page.getByRole('button', { name: 'Schließen' }).click();
  await orders.page.getByRole('group', { name: '1 Auftrag ausgewählt' }).waitFor();
  const statuses = await Promise.all(ids.map(async (id) => (await storedOrder(organization, id)).status));
  expect(statuses).toEqual(['pending', 'completed', 'shipped', 'shipped', 'shipped', 'pending']);
});

it('changes no order that a colleague has changed since it was selected', async () => {
  const organization = await platform.organization();
  const clerk = await platform.person(organization.orgId, 'clerk');
  const id = await newOrder(organization, 'Anna Anders');
  const screen = await openScreen();
  const orders = await OrdersScreen.openedBy(screen, clerk);
  await orders.row('Anna Anders').waitFor();
  await orders.press('j', 'x', 's');
  await orders.page.getByRole('alertdialog').waitFor();
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'awaiting_packing' });
  await orders.press('7');
  await orders.page.getByText('Hat inzwischen den Status „Zu packen“.').waitFor();
  expect((await storedOrder(organization, id)).status).toBe('awaiting_packing');
});

it('prints the selection as one job and still has it afterwards', async () => {
  const organization = await platform.organization();
  const clerk = await platform.person(organization.orgId, 'clerk');
  for (const customer of CUSTOMERS.slice(0, 3)) await newOrder(organization, customer);
  const { screen, printed } = await withPrinter(await openScreen());
  const orders = await OrdersScreen.openedBy(screen, clerk);
  await orders.row('Anna Anders').waitFor();
  await orders.press('Shift+a', 'p');
  await orders.page.getByRole('heading', { name: '3 Packzettel' }).waitFor();
  await orders.page.getByText('Im Verlauf vermerkt.').waitFor();
  await eventually('one job', () => Promise.resolve(printed() === 1));
  await orders.press('Escape');
  await orders.page.getByRole('group', { name: '3 Aufträge ausgewählt' }).waitFor();
  await orders.page.getByRole('button', { name: 'Auswahl aufheben (3)' }).click();
  await orders.page.getByRole('group', { name: /ausgewählt$/ }).waitFor({ state: 'detached' });
});

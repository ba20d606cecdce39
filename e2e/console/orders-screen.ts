import type { Locator } from 'playwright-core';
import type { Screen } from '@offizin/testkit/browser/screen';
import { signInAs } from '@offizin/testkit/browser/signed-in';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { ListScreen } from './list-screen';

/** What the stories of the orders screen have in common: orders, and what a person sees. */
export async function newOrder(
  organization: TestOrganization,
  customer: string,
  fields: object = {},
): Promise<string> {
  const items = [{ name: 'Bediol', qty: 15, price: 9.5 }];
  const address = { address_street: 'Am Markt 1', address_postal_code: '89073', address_city: 'Ulm' };
  const order = { customer_name: customer, shipping_option: 'Versand', items, ...address, ...fields };
  return (await organization.createOrder(order)).id;
}

interface Stored {
  status: string;
  payment_status: string;
}

export async function storedOrder(organization: TestOrganization, id: string): Promise<Stored> {
  return json<Stored>(await organization.api('GET', `/orders/${id}`));
}

/** Resolves once the server has the status. */
export async function untilOrder(organization: TestOrganization, id: string, status: string): Promise<void> {
  await eventually(
    `the order to be ${status}`,
    async () => (await storedOrder(organization, id)).status === status,
  );
}

/** The orders screen as a person sees it, in German. */
export class OrdersScreen extends ListScreen {
  constructor(screen: Screen) {
    super(screen, { list: 'Aufträge', object: 'Auftrag' });
  }

  static async openedBy(screen: Screen, person: TestPerson, search = ''): Promise<OrdersScreen> {
    await signInAs(screen, person);
    await screen.page.goto(`/console/orders${search}`);
    return new OrdersScreen(screen);
  }

  tab(name: RegExp): Locator {
    return this.page.getByRole('group', { name: 'Status der Aufträge' }).getByRole('button', { name });
  }
}

import type { Locator, Page } from 'playwright-core';
import { type Screen, openAs } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';

/** What a person sees on every page, in German. */
export class ShownScreen {
  readonly page: Page;
  readonly dialog: Locator;

  constructor(readonly screen: Screen) {
    this.page = screen.page;
    this.dialog = this.page.getByRole('dialog');
  }

  message(text: string | RegExp): Locator {
    return this.page.getByRole('region', { name: 'Meldungen' }).getByText(text);
  }

  async press(...keys: string[]): Promise<void> {
    await this.screen.press(...keys);
  }
}

/** A screen with a table and an open object beside it. */
export class ListScreen extends ShownScreen {
  readonly table: Locator;
  readonly detail: Locator;

  constructor(screen: Screen, { list, object }: { list: string; object: string }) {
    super(screen);
    this.table = this.page.getByRole('grid', { name: list });
    this.detail = this.page.getByRole('region', { name: object, exact: true });
  }

  row(text: string): Locator {
    return this.table.getByRole('row').filter({ hasText: text });
  }

  async untilOpen(title: string): Promise<void> {
    await this.detail.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  /** Into the field that a key has just opened; it gets the focus after it is seen. */
  async type(text: string): Promise<void> {
    await this.page.locator('input:focus, textarea:focus').waitFor();
    await this.page.keyboard.type(text);
  }
}

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

  /** Until the order of this customer is shown. */
  static async openAt(
    customer: string,
    ...opened: Parameters<typeof OrdersScreen.openedBy>
  ): Promise<OrdersScreen> {
    const orders = await OrdersScreen.openedBy(...opened);
    await orders.untilOpen(customer);
    return orders;
  }

  static async openedBy(screen: Screen, person: TestPerson, search = ''): Promise<OrdersScreen> {
    await openAs(screen, person, `/console/orders${search}`);
    return new OrdersScreen(screen);
  }

  tab(name: RegExp): Locator {
    return this.page.getByRole('group', { name: 'Status der Aufträge' }).getByRole('button', { name });
  }
}

/** In the page. The printer itself is not part of the tests: a page without a window never prints. */
declare const window: { print: () => void };
declare const jobs: () => Promise<void>;

/** Counts what the page prints. */
export async function withPrinter(screen: Screen): Promise<{ screen: Screen; printed: () => number }> {
  let count = 0;
  await screen.page.exposeFunction('jobs', () => {
    count++;
  });
  await screen.page.addInitScript(() => {
    window.print = () => void jobs();
  });
  return { screen, printed: () => count };
}

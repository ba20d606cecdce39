import type { Locator, Page } from 'playwright-core';
import { openAs, type Screen } from '@offizin/testkit/browser/screen';
import { Wedge } from '@offizin/testkit/browser/wedge';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { newOrder, withPrinter } from './list-screens';

/** An order that waits for packing. */
export async function toPack(
  organization: TestOrganization,
  customer: string,
  items: object[],
): Promise<string> {
  const id = await newOrder(organization, customer, { items });
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'awaiting_packing' });
  return id;
}

export async function narrowAndDark(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
}

/** In the page. */
declare const beeps: () => Promise<void>;
declare const window: {
  OscillatorNode: { prototype: { start: (at?: number) => void } };
  print: () => void;
};

/** Of all sounds of the page: one for a good code, three for an alarm. Call it before the page is opened. */
export async function countBeeps(page: Page): Promise<() => number> {
  let count = 0;
  await page.exposeFunction('beeps', () => {
    count++;
  });
  await page.addInitScript(() => {
    const { prototype } = window.OscillatorNode;
    const { start } = prototype;
    prototype.start = function (at) {
      void beeps();
      start.call(this, at);
    };
  });
  return () => count;
}

/** The packing station as a person sees it, in German, with a scanner and a printer. */
export class Station {
  readonly order: Locator;
  readonly done: Locator;

  private constructor(
    readonly screen: Screen,
    readonly page: Page,
    readonly wedge: Wedge,
    readonly printed: () => number,
    readonly beeped: () => number,
  ) {
    this.order = page.getByRole('region', { name: 'Auftrag am Packplatz' });
    this.done = this.order.getByRole('button', { name: /^Gepackt, drucken, weiter/ });
  }

  static async openedBy(empty: Screen, person: TestPerson): Promise<Station> {
    const { screen, printed } = await withPrinter(empty);
    const { page } = screen;
    const beeped = await countBeeps(page);
    await openAs(screen, person, '/console/orders/pack');
    return new Station(screen, page, await Wedge.of(page), printed, beeped);
  }

  /** The tab is closed, and the same person opens the page in another one. */
  async inNewTab(): Promise<Station> {
    const { screen, printed, beeped } = this;
    const page = await screen.context.newPage();
    await page.addInitScript(() => {
      window.print = () => undefined;
    });
    await this.page.close();
    await page.goto('/console/orders/pack');
    return new Station(screen, page, await Wedge.of(page), printed, beeped);
  }

  async scan(code: string, pauseMs = 0): Promise<void> {
    await this.page.keyboard.type(code, { delay: pauseMs });
    await this.page.keyboard.press('Enter');
  }

  async untilOpen(customer: string): Promise<void> {
    await this.order.getByRole('heading', { level: 2, name: customer }).waitFor();
  }

  warning(title: string): Locator {
    return this.order.getByRole('alert').filter({ hasText: title });
  }
}

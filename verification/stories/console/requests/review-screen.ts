import type { Locator } from 'playwright-core';
import { type Screen, openAs } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import type { TestPlatform } from '@offizin/testkit/platform';
import { textPdf } from '@offizin/testkit/pdf';
import { ShownScreen } from '../orders/list-screens';

/** What the stories of the review screen have in common: a pharmacy with requests, and what a person sees. */
export interface Pharmacy {
  organization: TestOrganization;
  pharmacist: TestPerson;
}

/** With a request of each of these customers, whose prescriptions say the same. */
export async function newPharmacy(platform: TestPlatform, ...customers: string[]): Promise<Pharmacy> {
  const organization = await platform.organization();
  for (const customer of customers) await submitRight(organization, customer);
  return { organization, pharmacist: await platform.person(organization.orgId, 'pharmacist') };
}

/** A request whose prescription says the same as the request. */
export async function submitRight(organization: TestOrganization, customer: string): Promise<string> {
  const pdf = prescriptionFor(customer);
  return submitWith(organization, customer, { prescription_pdf_base64: pdf.toString('base64') });
}

export async function submitWith(
  organization: TestOrganization,
  customer: string,
  payload: Record<string, unknown>,
): Promise<string> {
  return organization.submit(orderRequest({ customer_name: customer, ...payload }));
}

export function prescriptionFor(customer: string, ...furtherPages: string[][]): Buffer {
  const lines = ['Privatrezept', customer, `Ausgestellt am ${today()}`, '2 Stück Salbe', 'Dr. med. Test'];
  return textPdf(lines, ...furtherPages);
}

/** As a German prescription writes it. */
export function today(): string {
  const parts = { day: '2-digit', month: '2-digit', year: 'numeric' } as const;
  return new Date().toLocaleDateString('de-DE', { ...parts, timeZone: 'Europe/Berlin' });
}

export async function statusOf(organization: TestOrganization, id: string): Promise<string> {
  return json<{ status: string }>(await organization.api('GET', `/order-requests/${id}`)).status;
}

/** Resolves once the server has the decision. */
export async function untilStatus(
  organization: TestOrganization,
  id: string,
  status: string,
  deadlineMs?: number,
): Promise<void> {
  const has = async (): Promise<boolean> => (await statusOf(organization, id)) === status;
  await eventually(`the request to be ${status}`, has, deadlineMs);
}

/** Resolves once the data of the customer are erased. */
export async function eraseCustomerOf(
  organization: TestOrganization,
  of: { order_request_id: string } | { order_id: string },
): Promise<void> {
  const path = 'order_id' in of ? `/orders/${of.order_id}` : `/order-requests/${of.order_request_id}`;
  await organization.api('POST', '/customers/erase', of);
  await eventually('the customer to be erased', async () => {
    const answer = await organization.api('GET', path);
    return json<{ erased_at: string | null }>(answer).erased_at !== null;
  });
}

/** Decisions of the person are sent immediately from now on. */
export async function withoutUndo(person: TestPerson): Promise<void> {
  await holdFor(person, 0);
}

export async function holdFor(person: TestPerson, undo_seconds: 0 | 5 | 10): Promise<void> {
  const answer = await person.call('PUT', '/api/me', { undo_seconds });
  if (answer.status !== 200) throw new Error(`the preferences were answered ${answer.status}`);
}

/** Changes these review settings of the organization, and no others. */
export async function withRules(
  platform: TestPlatform,
  { orgId }: TestOrganization,
  rules: Record<string, unknown>,
): Promise<void> {
  const owner = await platform.person(orgId, 'owner');
  const { by: _by, at: _at, ...before } = json(await owner.org('GET', '/settings/review'));
  const answer = await owner.org('PUT', '/settings/review', { ...before, ...rules });
  if (answer.status !== 200) throw new Error(`the rules were answered ${answer.status}`);
}

/** The review screen as a person sees it, in German. */
export class ReviewScreen extends ShownScreen {
  readonly list: Locator;
  readonly approve: Locator;

  constructor(screen: Screen) {
    super(screen);
    this.list = this.page.getByRole('listbox', { name: 'Anfragen' });
    this.approve = this.page.getByRole('button', { name: /^Freigeben/ });
  }

  /** Until a decision about this customer's request is possible. */
  static async armed(
    customer: string,
    ...opened: Parameters<typeof ReviewScreen.openedBy>
  ): Promise<ReviewScreen> {
    const review = await ReviewScreen.openedBy(...opened);
    await review.untilArmed(customer);
    return review;
  }

  static async openedBy(screen: Screen, person: TestPerson, search = ''): Promise<ReviewScreen> {
    await openAs(screen, person, `/console/requests${search}`);
    return new ReviewScreen(screen);
  }

  row(customer: string): Locator {
    return this.list.getByRole('option').filter({ hasText: customer });
  }

  /** The request is on the screen with its document, and can be decided. */
  async untilArmed(customer: string): Promise<void> {
    await this.list.getByRole('option', { selected: true }).filter({ hasText: customer }).waitFor();
    // Less than the time after which a document counts as late, which enables the button, too.
    const isReady = async () => (await this.approve.isEnabled()) || (await this.hasNoMorePieces(), false);
    await eventually(`${customer} to be ready for a decision`, isReady, 18_000);
  }

  /** Each piece of the prescription has been before the person's eyes. */
  async untilPiecesSeen(): Promise<void> {
    await this.page.locator('figure[data-seen]').first().waitFor();
    await eventually('all pieces to be seen', () => this.hasNoMorePieces());
  }

  /** A person scrolls to the next one. */
  private async hasNoMorePieces(): Promise<boolean> {
    return this.page.evaluate(() => {
      const next = document.querySelector('figure[data-seen=false]');
      next?.scrollIntoView({ block: 'center' });
      return next === null;
    });
  }

  /** By the keys, with the reason at this place. */
  async reject(reason: number): Promise<void> {
    await this.press('r');
    await this.dialog.waitFor();
    await this.press(String(reason));
    await this.dialog.getByRole('button', { name: 'Ablehnen' }).click();
  }

  holdCalls(pattern: RegExp): ReturnType<Screen['holdCalls']> {
    return this.screen.holdCalls(pattern);
  }
}

/** In the page; this file is compiled without the browser's types. */
declare const document: {
  querySelector: (selector: string) => { scrollIntoView: (where: { block: 'center' }) => void } | null;
};

import { openAs, signInAs, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { newOrder, OrdersScreen, withPrinter } from './list-screens';

/** Slips and labels on paper: one job of the printer, and a mark in the history of each order. */
const openScreen = useScreens();
/** Time for the calls of a whole pile: two an order. */
const PILE_MS = 25_000;

const platform = usePlatform();

async function newOrders(organization: TestOrganization, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `Kundin ${n} Müller-Lüdenscheidt`);
  return Promise.all(names.map((name, n) => newOrder(organization, name, { order_number: `B-${n}` })));
}

/** In the page. */
declare const document: {
  querySelectorAll: (selector: string) => Iterable<{ textContent: string; scrollWidth: number }>;
  createRange: () => { selectNodeContents: (node: object) => void; getClientRects: () => { length: number } };
};

/** Pages of a PDF as Chromium writes it. */
function pagesOf(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
}

it('prints 30 slips as one job, a page each, without the rest of the screen, and notes each once', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const ids = await newOrders(organization, 30);
  const { screen, printed } = await withPrinter(await openScreen());
  screen.faults.expect(/status of 404 /);
  await signInAs(screen, clerk);
  const { page } = screen;
  await page.goto(
    `/console/print?kind=slip&ids=${[...ids, '01a20ca9-9266-7079-924a-6960827e8427'].join(',')}`,
  );
  await page.getByText('Sind alle 30 gedruckt?').waitFor({ timeout: PILE_MS });
  const notesOf = async (id: string) =>
    json<{ notes: object[] }>(await clerk.org('GET', `/pipeline/orders/${id}`)).notes;
  expect(await notesOf(ids[0] ?? '')).toEqual([]);
  await screen.keepScreenshot('printing-asks');
  await screen.press('j');
  await page.getByText('Im Verlauf vermerkt.').waitFor({ timeout: PILE_MS });
  await page.getByText('1 Auftrag ist nicht zu finden und wird nicht gedruckt.').waitFor();
  expect(printed()).toBe(1);
  for (const id of ids) expect(await notesOf(id)).toMatchObject([{ kind: 'slip_printed' }]);
  expect(pagesOf(await screen.keepPaper('printing-slips'))).toBe(30);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: /^Drucken/ }).isVisible()).toBe(false);
}, 60_000);

it('prints slip and label of the open order by p and l, and goes back to it', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const [id = ''] = await newOrders(organization, 1);
  await clerk.org('POST', `/orders/${id}/notes`, { text: 'Nur für das Team' });
  const { screen, printed } = await withPrinter(await openScreen());
  const orders = await OrdersScreen.openedBy(screen, clerk, `?id=${id}`);
  const { page } = orders;
  await orders.untilOpen('Kundin 0 Müller-Lüdenscheidt');
  await orders.press('p');
  await page.getByRole('heading', { name: '1 Packzettel' }).waitFor();
  await page.getByText('Hat der Druck geklappt?').waitFor();
  await orders.press('n');
  await page.getByText('Hat der Druck geklappt?').waitFor({ state: 'detached' });
  await orders.press('p');
  await page.getByRole('button', { name: 'Ja, im Verlauf vermerken' }).click();
  await page.getByText('Im Verlauf vermerkt.').waitFor();
  await page.getByRole('cell', { name: 'Bediol' }).waitFor();
  expect(await page.getByText('Nur für das Team').count()).toBe(0);
  await screen.keepScreenshot('printing-slip');
  await orders.press('Escape');
  await orders.detail.getByText('Packzettel gedruckt').waitFor();
  await orders.press('l');
  await page.getByRole('heading', { name: '1 Etikett' }).waitFor();
  await eventually('the label to be printed', () => Promise.resolve(printed() === 3));
  expect(pagesOf(await screen.keepPaper('printing-label'))).toBe(1);
  await screen.keepScreenshot('printing-label');
});

it('states when the mark was refused, and notes it at the second try as the same job', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const ids = await newOrders(organization, 2);
  const { screen, printed } = await withPrinter(await openScreen());
  screen.faults.expect(/ERR_FAILED/, /Failed to load resource/);
  await signInAs(screen, clerk);
  const { page } = screen;
  await page.route(`**/orders/${ids[1]}/marks`, (route) => route.abort());
  await page.goto(`/console/print?ids=${ids.join(',')}`);
  await page.getByRole('button', { name: 'Ja, im Verlauf vermerken' }).click();
  await page.getByRole('alert').getByText('Gedruckt, aber nicht im Verlauf vermerkt.').waitFor();
  await page.unroute(`**/orders/${ids[1]}/marks`);
  await page.getByRole('button', { name: 'Erneut vermerken' }).click();
  await page.getByText('Im Verlauf vermerkt.', { exact: true }).waitFor();
  expect(printed()).toBe(1);
  for (const id of ids)
    expect(json<{ notes: object[] }>(await clerk.org('GET', `/pipeline/orders/${id}`)).notes).toHaveLength(1);
});

it('writes no quantity on two lines, from 1 to 1,000,000, on 500 lines with long names', async () => {
  const { organization, person: clerk } = await platform.staffed('clerk');
  const quantities = [1, 10, 99, 100, 1_000, 54_321, 100_000, 1_000_000];
  const items = Array.from({ length: 500 }, (_, n) => ({
    name:
      n % 2 === 0 ? 'Cannabisblüte'.repeat(15) : 'Vaporizer mit Tasche, Ladegerät und Anleitung '.repeat(5),
    qty: quantities[n % quantities.length],
    price: 1,
    p1_id: `P-${'7'.repeat(n % 3 === 0 ? 240 : 5)}-${n}`,
  }));
  const id = await newOrder(organization, 'Anna Anders', { items });
  const { screen } = await withPrinter(await openScreen());
  const page = await openAs(screen, clerk, `/console/print?kind=slip&ids=${id}`);
  await page.getByText('Hat der Druck geklappt?').waitFor();
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 680, height: 900 });
  const broken = await page.evaluate(() =>
    [...document.querySelectorAll('article tr > :nth-child(2), article th')].flatMap((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length > 1 ? [cell.textContent] : [];
    }),
  );
  expect(broken).toEqual([]);
  const widths = await page.evaluate(() =>
    [...document.querySelectorAll('article table')].map(({ scrollWidth }) => scrollWidth),
  );
  expect(widths.every((width) => width <= 680)).toBe(true);
});

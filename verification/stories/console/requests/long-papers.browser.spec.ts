import { type Screen, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { type Paper, paperPdf, privateForm, words } from '@offizin/testkit/papers';
import { usePlatform } from '@offizin/testkit/platform';
import { newPharmacy, ReviewScreen, submitRight, submitWith } from './review-screen';

/** A prescription of many pages is shown as it is read, page by page. */
const openScreen = useScreens();
const platform = usePlatform();

const FORM = privateForm({ lines: ['Ramipril 5 mg Tabletten 100 St'] });
const MANY_WORDS = Array.from({ length: 5_000 }, (_, at) =>
  words(40 + (at % 10) * 52, 20 + Math.floor(at / 10) * 1.6, `Wort${at}`, { size: 1.5 }),
);
const annex = (text = 'Anlage mit weiteren Angaben'): Paper => ({ drawn: [words(60, 60, text)] });

function payloadOf(papers: Paper[], ...names: string[]): Record<string, unknown> {
  return {
    prescription_pdf_base64: paperPdf(...papers).toString('base64'),
    items: names.map((name) => ({ name, quantity: 1, price: 12.5 })),
  };
}

/** With the reading of one page held; without a number, none is. */
async function readingScreen(held?: number): Promise<Screen> {
  const screen = await openScreen({ width: 1920 });
  await screen.page.addInitScript(followReading, held);
  return screen;
}

const asked = ({ page }: ReviewScreen): Promise<number[]> => page.evaluate(() => globalThis.askedPages);
const release = ({ page }: ReviewScreen): Promise<void> => page.evaluate(() => globalThis.releasePage());
const drawnPiece = ({ page }: ReviewScreen, text: string): Promise<void> =>
  page.locator(`canvas[data-state=drawn][aria-label*="${text}"]`).first().waitFor();

it('shows pieces of its first page before the last of 50 is read, and is not read on once it is left', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const papers = [{ drawn: FORM }, ...Array.from({ length: 49 }, () => ({ drawn: MANY_WORDS }))];
  await submitWith(organization, 'Anna Berger', payloadOf(papers, 'Ramipril 5 mg Tabletten'));
  await submitRight(organization, 'Bodo Beck');
  const review = await ReviewScreen.openedBy(await readingScreen(), pharmacist);
  await drawnPiece(review, 'Ramipril 5 mg');
  await review.page.getByText(/wird noch gelesen: \d+ von 50 Seiten/).waitFor();
  expect((await asked(review)).length).toBeLessThan(50);
  expect(await review.approve.isEnabled()).toBe(false);
  await review.press('j');
  await review.page.getByRole('heading', { name: 'Bodo Beck' }).waitFor();
  const before = (await asked(review)).filter((page) => page > 1).length;
  await review.untilArmed('Bodo Beck');
  expect((await asked(review)).filter((page) => page > 1)).toHaveLength(before);
}, 90_000);

it('raises what is missing only after its last page, and cannot be decided before', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const papers = [{ drawn: FORM }, annex(), annex('Bisoprolol 5 mg Tabletten 50 St')];
  const names = ['Ramipril 5 mg Tabletten', 'Bisoprolol 5 mg Tabletten', 'Metformin 500 mg Tabletten'];
  await submitWith(organization, 'Anna Berger', payloadOf(papers, ...names));
  const review = await ReviewScreen.openedBy(await readingScreen(3), pharmacist);
  const { page } = review;
  await drawnPiece(review, 'Ramipril 5 mg');
  const reading = page.getByText('wird noch gelesen: 2 von 3 Seiten');
  await reading.waitFor();
  await review.untilPiecesSeen();
  expect(await page.locator('[data-alarm]').count()).toBe(0);
  expect(await review.approve.isEnabled()).toBe(false);
  await release(review);
  await page.getByText('Metformin 500 mg Tabletten: steht nicht auf dem Rezept').waitFor();
  expect(await page.locator('[data-alarm=missing]').count()).toBe(1);
  expect(await reading.count()).toBe(0);
  await review.untilPiecesSeen();
  await drawnPiece(review, 'Bisoprolol 5 mg');
});

it('is read from the page that is on the screen', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const papers = [{ drawn: FORM }, annex(), annex(), annex(), annex()];
  await submitWith(organization, 'Anna Berger', payloadOf(papers, 'Ramipril 5 mg Tabletten'));
  const review = await ReviewScreen.openedBy(await readingScreen(2), pharmacist);
  await drawnPiece(review, 'Ramipril 5 mg');
  await review.page.getByRole('button', { name: 'Seite 4', exact: true }).click();
  await review.page.getByText('Seite 4 von 5').waitFor();
  await release(review);
  await eventually('all pages to be read', async () => (await asked(review)).length === 5);
  expect(await asked(review)).toEqual([1, 2, 4, 3, 5]);
});

/** In the page; this file is compiled without the browser's types. */
declare global {
  /** Numbers of pages, in the order in which their reading began. */
  var askedPages: number[];
  var releasePage: () => void;
}
interface ToReader {
  action?: string;
  data?: { pageIndex?: number };
}
declare const Worker: { prototype: { postMessage: (message: ToReader, ...more: unknown[]) => void } };

/** The annotations of a page are asked for once, when it is read. */
function followReading(held?: number): void {
  const { prototype } = Worker;
  const { postMessage } = prototype;
  globalThis.askedPages = [];
  globalThis.releasePage = () => undefined;
  prototype.postMessage = function (message, ...more) {
    const post = (): void => postMessage.call(this, message, ...more);
    const page = message.action === 'GetAnnotations' ? (message.data?.pageIndex ?? 0) + 1 : null;
    if (page !== null) globalThis.askedPages.push(page);
    if (page !== null && page === held) globalThis.releasePage = post;
    else post();
  };
}

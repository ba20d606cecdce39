import type { Locator } from 'playwright-core';
import { axeFindings } from '@offizin/testkit/browser/page-checks';
import { THEMES, useScreens, type Width } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { orderRequest } from '@offizin/testkit/organization';
import { encryptedPdf, lockedPdf } from '@offizin/testkit/pdf';
import { field, ISSUED, paperPdf, privateForm, SCAN, stamp, stroke, words } from '@offizin/testkit/papers';
import { TestPlatform } from '@offizin/testkit/platform';
import { newPharmacy, type Pharmacy, ReviewScreen, submitWith } from './review-screen';

/** The pieces of the prescription beside what was ordered. */
const openScreen = useScreens();

let platform: TestPlatform;
let pharmacy: Pharmacy;

beforeEach(async () => {
  pharmacy = await newPharmacy(platform);
});
beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

const RAMIPRIL = [{ name: 'Ramipril 5 mg Tabletten', quantity: 1, price: 12.5 }];
const LINES = ['Ramipril 5 mg Tabletten 100 St'];
const FORM = privateForm({ lines: LINES });

async function openedWith(
  pdf: Buffer,
  width: Width = 1920,
  items = RAMIPRIL,
  density = 1,
): Promise<ReviewScreen> {
  const payload = { prescription_pdf_base64: pdf.toString('base64'), items };
  await submitWith(pharmacy.organization, 'Anna Berger', payload);
  const screen = await openScreen({ width, density });
  return ReviewScreen.openedBy(screen, pharmacy.pharmacist);
}

const pieceOf = ({ page }: ReviewScreen, text: RegExp): Locator =>
  page.getByRole('button', { name: text }).and(page.locator('[data-crop]'));

/** Share of dark pixels of what the first piece with these words shows: its ink. */
async function inkOf(review: ReviewScreen, text: RegExp): Promise<number> {
  return pieceOf(review, text).first().locator('canvas').evaluate(darkShare);
}

/** Whether what is marked by the person's press lies over the words. */
async function liesOver(review: ReviewScreen, text: string): Promise<boolean> {
  const mark = await review.page.locator('[data-wanted]').boundingBox();
  const found = await review.page.locator('[data-page] span').getByText(text).first().boundingBox();
  if (!mark || !found) return false;
  const [x, y] = [found.x + found.width / 2, found.y + found.height / 2];
  return x >= mark.x && x <= mark.x + mark.width && y >= mark.y && y <= mark.y + mark.height;
}

it('is shown in pieces with head, line and foot; each leads to its place, and none is left out before a decision', async () => {
  const review = await openedWith(paperPdf({ drawn: FORM }));
  const { page } = review;
  for (const text of [/Berger, Anna/, /Ramipril 5 mg Tabletten 100 St/, /Dr\. med\. Sabine Weber/])
    await pieceOf(review, text).first().waitFor();
  await review.untilArmed('Anna Berger');
  expect(await page.locator('figure[data-seen=false]').count()).toBe(0);
  expect(await page.locator('[data-alarm]').count()).toBe(0);
  // The only document of a request needs no name.
  expect(await page.locator('figcaption').filter({ hasText: 'Dokument' }).count()).toBe(0);
  expect(await inkOf(review, /Ramipril/)).toBeGreaterThan(0.01);
  await pieceOf(review, /Ramipril 5 mg/)
    .first()
    .click();
  await eventually('the place to be marked', () => liesOver(review, 'Ramipril 5 mg Tabletten'));
  expect(await axeFindings(page)).toEqual([]);
  await review.screen.keepScreenshot('paper-pieces');
  await page.emulateMedia({ colorScheme: 'dark' });
  await review.screen.keepScreenshot('paper-pieces-dark');
  // By keys, from one piece to the next.
  await pieceOf(review, /Berger, Anna/)
    .first()
    .focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('');
  expect(
    await pieceOf(review, /Ramipril/)
      .first()
      .evaluate((one) => one === document.activeElement),
  ).toBe(true);
});

it.each([90, 180, 270])(
  'has its marks on the words of a page that is turned by %d degrees',
  async (rotate) => {
    const review = await openedWith(paperPdf({ drawn: FORM, rotate }));
    await pieceOf(review, /Ramipril 5 mg/)
      .first()
      .click();
    await eventually('the place to be marked', () => liesOver(review, 'Ramipril 5 mg Tabletten'));
    await review.press('o');
    await eventually('the place to be marked when it is turned on', () =>
      liesOver(review, 'Ramipril 5 mg Tabletten'),
    );
    await review.untilArmed('Anna Berger');
  },
);

it('is false: alarms are red or amber, an approval asks why, and nothing states that anything is good', async () => {
  const review = await openedWith(
    paperPdf({
      drawn: privateForm({ patient: 'Vogel, Max', lines: ['Bisoprolol 10 mg 100 St'] }),
      notes: [stamp('UNGÜLTIG', 300, 500)],
    }),
  );
  const { page } = review;
  await review.untilArmed('Anna Berger');
  for (const text of [
    'Ramipril 5 mg Tabletten: steht nicht auf dem Rezept',
    'Der Name des Patienten steht nicht auf dem Rezept',
    'Auf dem Rezept steht „UNGÜLTIG“',
  ])
    await page.locator('[data-alarm][data-tone=red]').getByText(text).waitFor();
  await pieceOf(review, /Bisoprolol 10 mg/)
    .first()
    .waitFor();
  const good = page.locator('[data-tone=good]').filter({ hasText: /Name|Ramipril|Rezept/ });
  expect(await good.count()).toBe(0);
  await review.screen.keepScreenshot('paper-alarms');
  // Its piece stands below, under the line: pressing the alarm leads to its place.
  await page.getByRole('button', { name: 'Ramipril 5 mg Tabletten: steht nicht auf dem Rezept' }).click();
  await eventually('the place to be marked', () => liesOver(review, 'Bisoprolol 10 mg 100 St'));
  await review.press('a');
  await review.dialog.getByText('steht nicht auf dem Rezept').first().waitFor();
});

const HIDDEN = { isWhite: true };

it.each([
  [
    'a line in white',
    { drawn: [...privateForm({ lines: [] }), words(60, 178, 'Ramipril 5 mg Tabletten', HIDDEN)] },
    'Ramipril 5 mg Tabletten',
  ],
  [
    'a line in white over a ruled line',
    {
      drawn: [
        ...privateForm({ lines: [] }),
        stroke([40, 177], [400, 177], 1),
        words(60, 178, 'Ramipril 5 mg Tabletten', HIDDEN),
      ],
    },
    'Ramipril 5 mg Tabletten',
  ],
  [
    'a field that is not drawn',
    { drawn: privateForm({ lines: [] }), notes: [{ ...field('Ramipril 5 mg', 60, 170), appearance: '' }] },
    'Ramipril 5 mg Tabletten',
  ],
  [
    'an annotation in white',
    {
      drawn: privateForm({ lines: [] }),
      notes: [{ ...stamp('Ramipril 5 mg', 60, 200), appearance: '1 g 0 0 400 40 re f' }],
    },
    'Ramipril 5 mg Tabletten',
  ],
  [
    'a name in white',
    { drawn: [...privateForm({ patient: ' ', lines: LINES }), words(60, 98, 'Berger, Anna', HIDDEN)] },
    'Name des Patienten',
  ],
  [
    'a birth date in white',
    { drawn: [...privateForm({ born: ' ', lines: LINES }), words(300, 98, '14.03.1984', HIDDEN)] },
    'Geburtsdatum',
  ],
  [
    'a prescriber in white',
    {
      drawn: [
        ...privateForm({ lines: LINES, prescriber: [] }),
        words(60, 296, 'Dr. med. Sabine Weber', HIDDEN),
      ],
    },
    'Verordner',
  ],
])('is red with %s, and the alarm leads to it', async (_, paper, what) => {
  const review = await openedWith(paperPdf(paper));
  const alarm = review.page.locator('[data-alarm=ink]').getByRole('button');
  expect(await alarm.textContent()).toBe(`${what}: unsichtbarer Text auf dem Rezept`);
  await alarm.press('Enter');
  await review.page.locator('[data-wanted=piece]').waitFor();
});

it('leads from an alarm to the pages that are pictures, one after the other', async () => {
  const review = await openedWith(paperPdf({ drawn: FORM }, { drawn: [SCAN] }, { drawn: [SCAN] }), 390);
  await review.row('Anna Berger').click();
  const alarm = review.page.getByRole('button', { name: 'Die Seiten 2 und 3 sind Bilder: selbst lesen' });
  for (const number of [2, 3]) {
    await alarm.click();
    await review.page.locator(`[data-page="${number}"] [data-wanted=page]`).waitFor();
    await review.screen.keepScreenshot(`paper-picture-${number}`);
    await review.page.getByRole('button', { name: 'Prüfung', exact: true }).click();
  }
});

/** A request whose documents are added one by one, the first of which gets the number 2. */
async function openedWithAdded(...added: [kind: string, name: string, pdf: Buffer][]): Promise<ReviewScreen> {
  const { organization, pharmacist } = pharmacy;
  const id = await submitWith(organization, 'Anna Berger', { items: RAMIPRIL });
  for (const [kind, name, pdf] of added) {
    const body = { kind, name, pdf_base64: pdf.toString('base64') };
    const answer = await organization.connector({ tail: `/${id}/documents`, body });
    expect(answer.status).toBe(201);
  }
  return ReviewScreen.openedBy(await openScreen({ width: 1920 }), pharmacist);
}

/** It has what would be red in a prescription, and the name that the prescription lacks. */
const LETTER = paperPdf({ drawn: FORM, notes: [stamp('UNGÜLTIG', 300, 500)] });

it('is a prescription beside a letter: only the prescription is searched, and each piece says that it is from there', async () => {
  const other = paperPdf({ drawn: privateForm({ lines: ['Bisoprolol 5 mg 100 St'] }) });
  const review = await openedWithAdded(['prescription', 'Weber.pdf', other], ['other', 'Brief', LETTER]);
  const { page } = review;
  await page.locator('[data-alarm=missing][data-tone=red]').waitFor();
  await pieceOf(review, /Bisoprolol 5 mg/)
    .first()
    .waitFor();
  const places = await page.locator('figcaption').allTextContents();
  expect(places.filter((place) => !place.startsWith('Dokument 2 · Weber.pdf, Seite 1'))).toEqual([]);
  expect(await page.locator('[data-alarm]').count()).toBe(1);
  await page.getByRole('button', { name: '3 Weiteres Dokument · Brief' }).click();
  const letter = page.getByRole('region', { name: 'Weiteres Dokument · Brief' });
  await letter.getByText('Ramipril 5 mg Tabletten').first().waitFor();
  await untilDrawn(letter);
  expect(await letter.locator('[data-mark], [data-wanted], h2[data-kind]').count()).toBe(0);
  await review.screen.keepScreenshot('paper-beside-a-letter');
});

it('is a letter without a prescription: it has no pieces, alarms and marks, and the prescription is missing', async () => {
  const { page } = await openedWithAdded(['other', 'Brief', LETTER]);
  await page.getByText('Kein Rezept', { exact: true }).first().waitFor();
  await untilDrawn(page.getByRole('region', { name: 'Weiteres Dokument · Brief' }));
  const shown = page.locator('[data-crop], [data-alarm], [data-page] [data-mark], h2[data-kind]');
  expect(await shown.count()).toBe(0);
});

/** The words of a page get their size when it is drawn. */
async function untilDrawn(region: Locator): Promise<void> {
  await region.locator('[data-page="1"] > div[style*="--total-scale-factor"]').waitFor();
}

/** By how much its pane is too narrow for a piece, in px. */
const hiddenOf = (piece: Locator): Promise<number> => piece.evaluate(hiddenWidth);

it.each([390, 1280, 1440] as const)(
  'fits its pane of a screen of %d px, with the date of issue',
  async (width) => {
    const review = await openedWith(paperPdf({ drawn: FORM }), width);
    if (width === 390) await review.row('Anna Berger').click();
    await pieceOf(review, new RegExp(ISSUED.replaceAll('.', '\\.')))
      .first()
      .waitFor();
    const pieces = await review.page.locator('[data-crop]').all();
    for (const piece of pieces) expect(await hiddenOf(piece)).toBe(0);
    await pieces[0]?.scrollIntoViewIfNeeded();
    for (const theme of THEMES) {
      await review.page.emulateMedia({ colorScheme: theme });
      await review.screen.keepScreenshot(`paper-pieces-${width}-${theme}`);
    }
  },
);

/** Of a form that is wider than a telephone can show it. */
const WIDE_FORM = [...FORM, words(545, 178, '100 St N3')];

it('is shown in rows where it is too wide for its pane, and seen once each of them was seen', async () => {
  const review = await openedWith(paperPdf({ drawn: WIDE_FORM }), 390);
  await review.page.setViewportSize({ width: 390, height: 420 });
  await review.row('Anna Berger').click();
  const piece = pieceOf(review, /Ramipril 5 mg.*100 St N3/).first();
  const rows = piece.locator('canvas');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(2);
  expect(await hiddenOf(piece)).toBe(0);
  for (const row of await rows.all()) expect(await letterOf(row)).toBeGreaterThan(7);
  const frame = review.page.locator('figure').filter({ has: piece });
  await rows.first().evaluate(moveToLowerEdge);
  const head = review.page.locator('figure[data-seen=true]').filter({ has: pieceOf(review, /Berger, Anna/) });
  await head.first().waitFor();
  expect(await frame.getAttribute('data-seen')).toBe('false');
  await rows.last().scrollIntoViewIfNeeded();
  await review.page.locator('figure[data-seen=true]').filter({ has: piece }).waitFor();
  await review.screen.keepScreenshot('paper-pieces-rows');
});

it('is sharp on a display of two pixels per px: each of them is drawn from the document', async () => {
  const review = await openedWith(paperPdf({ drawn: FORM }), 1440, RAMIPRIL, 2);
  const canvas = pieceOf(review, /Ramipril 5 mg/)
    .first()
    .locator('canvas')
    .first();
  await eventually('the piece to be drawn', async () => (await inkOf(review, /Ramipril 5 mg/)) > 0.005);
  expect(await canvas.evaluate(shareShown)).toBeLessThan(0.51);
  await review.screen.keepScreenshot('paper-pieces-dense');
});

it('is shown on the phone, where a press leads to the document', async () => {
  const review = await openedWith(paperPdf({ drawn: FORM }), 390);
  await review.row('Anna Berger').click();
  const piece = pieceOf(review, /Ramipril 5 mg/).first();
  await piece.scrollIntoViewIfNeeded();
  await review.screen.keepScreenshot('paper-pieces-phone');
  await piece.click();
  await eventually('the place to be shown', () => liesOver(review, 'Ramipril 5 mg Tabletten'));
});

it('of a new version has to be seen again, also where it lies at the same place', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `Ramipril ${index + 1} mg Tabletten`);
  const items = names.map((name) => ({ name, quantity: 1, price: 12.5 }));
  const requested = (pack: string) => ({
    customer_name: 'Anna Berger',
    prescription_pdf_base64: paperPdf({
      drawn: privateForm({ lines: names.map((name) => `${name} ${pack}`) }),
    }).toString('base64'),
    items,
  });
  const id = await pharmacy.organization.submit(orderRequest(requested('100 St')));
  const review = await ReviewScreen.armed('Anna Berger', await openScreen(), pharmacy.pharmacist);
  const body = orderRequest(requested('200 St'));
  const answer = await pharmacy.organization.connector({ method: 'PUT', tail: `/${id}`, body });
  expect(answer.status).toBe(200);
  await pieceOf(review, /200 St/)
    .first()
    .waitFor();
  await review.page.getByText('Sehen Sie zuerst alle Ausschnitte des Rezepts an.').waitFor();
  await review.untilArmed('Anna Berger');
});

it('is shown of a document that is encrypted and needs no password', async () => {
  const review = await openedWith(encryptedPdf(paperPdf({ drawn: FORM })));
  await eventually('the piece to be drawn', async () => (await inkOf(review, /Ramipril 5 mg/)) > 0.005);
  await review.untilArmed('Anna Berger');
});

it('is beside a document that needs a password: the screen reports it', async () => {
  const review = await openedWith(lockedPdf());
  await review.untilArmed('Anna Berger');
  await review.page.getByText('Rezept mit Passwort geschützt').waitFor();
});

/** In the page; this file is compiled without the browser's types. */
interface Canvas {
  width: number;
  height: number;
  getContext: (kind: '2d') => {
    getImageData: (...area: [number, number, number, number]) => { data: Uint8ClampedArray };
  };
}
declare const document: { activeElement: { textContent: string } | null };

interface InPane {
  parentElement: { scrollWidth: number; clientWidth: number };
}

function hiddenWidth(piece: unknown): number {
  const { parentElement: pane } = piece as InPane;
  return pane.scrollWidth - pane.clientWidth;
}

/** The rows below are then not on the screen. */
function moveToLowerEdge(row: unknown): void {
  (row as { scrollIntoView: (to: { block: 'end' }) => void }).scrollIntoView({ block: 'end' });
}

/** Height of the letters of a form, in px of the screen. */
async function letterOf(row: Locator): Promise<number> {
  return (await row.evaluate(shareShown)) * 12.5;
}

function shareShown(canvas: unknown): number {
  const { width, clientWidth } = canvas as Canvas & { clientWidth: number };
  return clientWidth / width;
}

function darkShare(element: unknown): number {
  const canvas = element as Canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, at) => at % 4 === 0 && value < 128).length / (data.length / 4);
}

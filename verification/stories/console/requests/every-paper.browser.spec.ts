import type { Page } from 'playwright-core';
import { keepText, useScreens } from '@offizin/testkit/browser/screen';
import { FALSE_PAPERS } from '@offizin/testkit/false-papers';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { type PaperCase, RAMIPRIL } from '@offizin/testkit/paper-cases';
import { paperPdf } from '@offizin/testkit/papers';
import { usePlatform } from '@offizin/testkit/platform';
import { RIGHT_PAPERS } from '@offizin/testkit/right-papers';
import { newPharmacy, ReviewScreen } from './review-screen';

/**
 * Every false and every right prescription, as a pharmacist sees it who goes from request to request. A false one has an
 * alarm, or a piece of the paper that shows it; of a right one each alarm is known with its reason.
 */
const openScreen = useScreens();
const platform = usePlatform();

/** What the review shows of one prescription. */
interface OnScreen {
  alarms: { tone: string; kind: string }[];
  pieces: Piece[];
  /** What the screen states as good. */
  good: string[];
}

interface Piece {
  /** Of its text layer. */
  text: string;
  /** A piece of an ordered line, not of an alarm, a head or a foot. */
  isOfLine: boolean;
  isOfAlarm: boolean;
  width: number;
  height: number;
  /** A digit for each pixel, 0 is black. */
  pixels: string;
  /** Rows of pixels of the first found words. */
  words: [top: number, bottom: number];
}

/** Those that a paper is compared with are requests, too. */
const CASES = new Map<string, PaperCase>(
  Object.entries({ ...FALSE_PAPERS, ...RIGHT_PAPERS }).flatMap(([name, one]) => [
    [name, one],
    ...(['like', 'unlike'] as const).flatMap((kind): [string, PaperCase][] => {
      const papers = one[kind];
      return papers ? [[`${name}, ${kind}`, { ...one, papers }]] : [];
    }),
  ]),
);
const NAMES = [...CASES.keys()];
const outcomes = new Map<string, OnScreen>();

beforeAll(async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  for (let at = 0; at < NAMES.length; at += 4)
    await Promise.all(
      NAMES.slice(at, at + 4).map((name, more) => submitPaper(organization, name, at + more)),
    );
  const screen = await openScreen({ width: 1920 });
  // High enough for all pieces of one prescription.
  await screen.page.setViewportSize({ width: 1920, height: 2400 });
  const { page } = await ReviewScreen.openedBy(screen, pharmacist);
  let reference = '';
  while (outcomes.size < NAMES.length) {
    if (outcomes.size > 0) await screen.press('j');
    const next = await shownAfter(page, reference);
    ({ reference } = next);
    outcomes.set(NAMES[Number(/\d+$/.exec(reference)?.[0])] ?? '', next);
  }
}, 300_000);

async function submitPaper(organization: TestOrganization, name: string, at: number): Promise<void> {
  const { papers, customer = 'Anna Berger', born, ordered } = CASES.get(name) as PaperCase;
  const lines = ordered ?? [['Ramipril 5 mg Tabletten', 1]];
  const payload = {
    customer_name: customer,
    patient_birth_date: born,
    prescription_pdf_base64: paperPdf(...papers).toString('base64'),
    items: lines.map(([product, quantity]) => ({ name: product, quantity, price: 12.5 })),
  };
  await organization.submit(orderRequest(payload, { external_reference: `paper-${at}` }));
}

/** Of the request after the one with the reference `before`, once all of its pieces are drawn. */
async function shownAfter(page: Page, before: string): Promise<OnScreen & { reference: string }> {
  const handle = await page.waitForFunction(shownNow, before);
  const shown = await handle.jsonValue();
  if (!shown) throw new Error(`nothing is shown after ${before}`);
  return shown;
}

const isRed = ({ tone }: OnScreen['alarms'][number]): boolean => tone === 'red';
const outcomeOf = (name: string): OnScreen => outcomes.get(name) ?? { alarms: [], pieces: [], good: [] };

/** The piece of a form that shows these words. */
function pieceWith(name: string, text: string): Piece | undefined {
  return outcomeOf(name).pieces.find((piece) => !piece.isOfAlarm && piece.text.includes(text));
}

type Outcome = 'red' | 'amber' | 'crop' | 'silent';

/** `shows`: what a piece has to show where there is no alarm; a right paper shows the ordered line. */
function classOf(name: string, shows?: string): Outcome {
  const { alarms, pieces } = outcomeOf(name);
  if (alarms.some(isRed)) return 'red';
  if (alarms.length > 0) return 'amber';
  const shown = pieces.filter(({ text, isOfLine }) =>
    shows === undefined ? isOfLine : text.includes(shows),
  );
  return shown.some(({ pixels }) => /[0-4]/.test(pixels)) ? 'crop' : 'silent';
}

it.each(Object.keys(FALSE_PAPERS))('shows a false one: %s', (name) => {
  const { alarm, shows } = FALSE_PAPERS[name] as PaperCase;
  const { alarms } = outcomeOf(name);
  if (alarm !== undefined) expect(alarms.map(({ kind }) => kind)).toContain(alarm);
  expect(classOf(name, shows)).not.toBe('silent');
});

it.each(Object.keys(RIGHT_PAPERS))('has no other alarms than its own for a right one: %s', (name) => {
  const { red, amber = {} } = RIGHT_PAPERS[name] as PaperCase;
  const own = [...(red ? [`red ${red}`] : []), ...Object.keys(amber).map((kind) => `amber ${kind}`)];
  expect(outcomeOf(name).alarms.map(({ tone, kind }) => `${tone} ${kind}`)).toEqual(own);
  expect(classOf(name)).not.toBe('silent');
});

/** Pixels of a stroke through a word are more than these, and the same drawing differs in none. */
const LEAST_PIXELS = 40;

const compared = Object.keys(FALSE_PAPERS).filter((name) => FALSE_PAPERS[name]?.unlike !== undefined);

it.each(compared)('has other pixels than without what is drawn there: %s', (name) => {
  const { shows = '' } = FALSE_PAPERS[name] as PaperCase;
  const [own, other] = [pieceWith(name, shows), pieceWith(`${name}, unlike`, shows)];
  expect(differing(own, other)).toBeGreaterThan(LEAST_PIXELS);
});

const alike = Object.keys(FALSE_PAPERS).filter((name) => FALSE_PAPERS[name]?.like !== undefined);

it.each(alike)('shows what is drawn, and not what the text layer says: %s', (name) => {
  const { shows = '' } = FALSE_PAPERS[name] as PaperCase;
  const [own, other] = [pieceWith(name, shows), pieceWith(`${name}, like`, shows)];
  expect(own?.text).not.toBe(other?.text);
  expect(differing(own, other)).toBe(0);
});

it('has the same pixels when it is drawn again', () => {
  const [own, other] = ['a private prescription', 'a footer about a copy'].map((name) =>
    pieceWith(name, RAMIPRIL),
  );
  expect(differing(own, other)).toBe(0);
});

/** How many pixels differ in the rows of the found words. Both pieces must be cut from the same place. */
function differing(one: Piece | undefined, other: Piece | undefined): number {
  const sizes = [one, other].map((piece) => piece && [piece.width, piece.height, ...piece.words]);
  expect(sizes[0]).toEqual(sizes[1]);
  if (!one || !other) throw new Error('a piece is not shown');
  const [top, bottom] = one.words;
  let count = 0;
  for (let at = top * one.width; at < bottom * one.width; at += 1)
    if (one.pixels[at] !== other.pixels[at]) count += 1;
  return count;
}

it('states nothing as good that was read in a document', () => {
  const good = new Set(NAMES.flatMap((name) => outcomeOf(name).good));
  expect([...good]).toEqual(['Dokument erstmals eingereicht']);
});

it('shows each false one by an alarm or a piece, and no right one in red but for its brand', () => {
  const groups = { false: FALSE_PAPERS, right: RIGHT_PAPERS };
  const counts = Object.entries(groups).map(([group, papers]) => {
    const count = { red: 0, amber: 0, crop: 0, silent: 0 };
    for (const [name, { shows }] of Object.entries(papers)) count[classOf(name, shows)] += 1;
    return { group, papers: Object.keys(papers).length, ...count };
  });
  const rows = [Object.keys(counts[0] ?? {}), ...counts.map((row) => Object.values(row))];
  const table = rows.map((row) => row.map((cell) => String(cell).padStart(7)).join('')).join('\n');
  keepText('every-paper', table);
  process.stdout.write(`${table}\n`);
  const brands = Object.values(RIGHT_PAPERS).filter(({ red }) => red === 'missing').length;
  expect(counts).toMatchObject([
    { group: 'false', silent: 0 },
    { group: 'right', silent: 0, red: brands },
  ]);
  expect(Object.values(RIGHT_PAPERS).filter(({ red }) => red !== undefined)).toHaveLength(brands);
});

/** In the page; this file is compiled without the browser's types. */
interface PageElement {
  textContent: string;
  dataset: Record<string, string | undefined>;
  width: number;
  height: number;
  clientHeight: number;
  offsetTop: number;
  closest: (selector: string) => PageElement | null;
  querySelector: (selector: string) => PageElement | null;
  getAttribute: (name: string) => string | null;
  getContext: (kind: '2d') => {
    getImageData: (...area: [number, number, number, number]) => { data: Uint8ClampedArray };
  };
}
declare const document: {
  querySelector: (selector: string) => PageElement | null;
  querySelectorAll: (selector: string) => Iterable<PageElement>;
  body: PageElement;
};

function shownNow(before: string): (OnScreen & { reference: string }) | null {
  const heads = [...document.querySelectorAll('h1 + div')];
  const reference = heads.flatMap(({ textContent }) => /paper-\d+$/.exec(textContent)?.[0] ?? [])[0];
  const canvases = [...document.querySelectorAll('[data-crop] canvas')];
  const alarms = [...document.querySelectorAll('[data-alarm]')];
  const isEmpty = canvases.length + alarms.length === 0;
  if (reference === undefined || reference === before) return null;
  if (document.body.textContent.includes('wird noch gelesen')) return null;
  if (isEmpty && !document.body.textContent.includes('nichts gefunden')) return null;
  if (canvases.some(({ dataset }) => !['drawn', 'failed'].includes(dataset['state'] ?? ''))) return null;
  const pieces = canvases.map((canvas) => {
    const { width, height, clientHeight } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    let pixels = '';
    for (let at = 0; at < data.length; at += 4) {
      const light = 0.3 * (data[at] ?? 0) + 0.6 * (data[at + 1] ?? 0) + 0.1 * (data[at + 2] ?? 0);
      pixels += String(Math.floor(light / 25.6));
    }
    const button = canvas.closest('[data-crop]');
    // The underline of the first found words; letters are 15 px high.
    const scale = height / clientHeight;
    const bottom = Math.round((button?.querySelector('i')?.offsetTop ?? clientHeight) * scale);
    const isOfLine = canvas.closest('div:has(> h3)') !== null;
    const isOfAlarm = canvas.closest('[data-alarm]') !== null;
    const words: [number, number] = [Math.max(0, bottom - Math.round(15 * scale)), bottom];
    return {
      text: canvas.getAttribute('aria-label') ?? '',
      isOfLine,
      isOfAlarm,
      width,
      height,
      pixels,
      words,
    };
  });
  return {
    reference,
    pieces,
    alarms: alarms.map(({ dataset }) => ({ tone: dataset['tone'] ?? '', kind: dataset['alarm'] ?? '' })),
    good: [...document.querySelectorAll('[data-tone=good]')].map(({ textContent }) => textContent),
  };
}

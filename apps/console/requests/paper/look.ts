import { readableName } from '../../text/customer-name';
import type { Formats } from '../../text/formats';
import {
  type Alarm,
  type AlarmOf,
  alarmsOf,
  inkAlarms,
  type Inkless,
  type IssueRule,
  placesOf,
  type Said,
} from './alarms';
import type { Place } from './crops';
import { drawAhead } from './draw-crops';
import { type Found, foundIn, lookAt, type PageLook, piecesOf, type WantedPaper } from './finding';
import type { PaperPage } from './page-lines';
import type { DocumentNames, PaperTexts, TextWay } from './paper.de';
import { isWhole, type ReadPaper } from './read-paper';
import { turns } from './turns';

/** What the review shows of all prescriptions of a request. */
export interface LookedAt {
  found: Found;
  alarms: readonly ShownAlarm[];
  texts: PaperTexts;
  /** Where the request has several documents, pieces and alarms name theirs. */
  names: DocumentNames;
  /** Of all pieces that are shown. */
  keys: readonly string[];
  /** Pages that this comes from, of how many, while more will come. */
  reading: { read: number; count: number } | null;
  /** The alarms about text without ink. */
  inkless: (all: readonly Inkless[]) => ShownAlarm[];
}

/** `places`: where the document shows it, one after the other. */
type ShownAlarm = Alarm & { text: string; places: readonly Place[] };

interface Way {
  /** Of all documents of the request. */
  names: readonly (readonly [number: number, name: string | null])[];
  rule: IssueRule;
  texts: PaperTexts;
  formats: Formats;
  /** Further pages will be read. */
  isOpen: boolean;
  signal: AbortSignal;
}

/** By page: as more pages are read, none is looked at twice for the same request. */
const looks = new WeakMap<PaperPage, { wanted: WantedPaper; look: Promise<PageLook> }>();

function lookOf(page: PaperPage, wanted: WantedPaper): Promise<PageLook> {
  const known = looks.get(page);
  if (known?.wanted === wanted) return known.look;
  // It is finished also when another page comes meanwhile: else pages that come quickly would never be shown.
  const look = lookAt(page, wanted, turns());
  looks.set(page, { wanted, look });
  return look;
}

/** Yields what the pages that were looked at show: after each rest, and in the end. */
export async function* lookAtPapers(
  papers: readonly ReadPaper[],
  wanted: WantedPaper,
  { signal, isOpen, ...way }: Way,
): AsyncGenerator<LookedAt> {
  for (const { document, pages } of papers) {
    const [first] = pages;
    if (first?.lines.length && !looks.has(first)) drawAhead(document, first);
  }
  const rest = turns(signal);
  const pages = papers.flatMap((paper) => paper.pages);
  const count = papers.reduce((sum, paper) => sum + paper.count, 0);
  const looked: PageLook[] = [];
  for (const page of pages) {
    const reading = { read: looked.length, count };
    if (looked.length > 0 && (await rest())) yield shownOf(looked, wanted, { ...way, isAll: false, reading });
    looked.push(await lookOf(page, wanted));
  }
  const isAll = !isOpen && papers.every(isWhole);
  const reading = isOpen ? { read: looked.length, count } : null;
  yield shownOf(looked, wanted, { ...way, isAll, reading });
}

/** Alarms that one page raises, whatever is on the others. */
const OF_ONE_PAGE: ReadonlySet<Alarm['kind']> = new Set(['word', 'picture', 'twice', 'covered', 'ink']);

interface ShownWay extends Omit<Way, 'signal' | 'isOpen'>, Pick<LookedAt, 'reading'> {
  /** Every page was looked at: only then is missing what was not found. */
  isAll: boolean;
}

function shownOf(
  looked: readonly PageLook[],
  wanted: WantedPaper,
  { names: all, rule, texts, formats, isAll, reading }: ShownWay,
): LookedAt {
  const whole = foundIn(looked, wanted);
  const found = isAll ? whole : withoutWhole(whole);
  const names =
    all.length > 1 ? Object.fromEntries(all.map(([number, name]) => [number, named(name)])) : null;
  const shown = (alarms: readonly Alarm[]): ShownAlarm[] =>
    alarms
      .filter(({ kind }) => isAll || OF_ONE_PAGE.has(kind))
      .map((alarm) => ({
        ...alarm,
        text: textOf(alarm, texts, { date: formats.date, names }),
        places: placesOf(alarm, looked),
      }));
  const alarms = shown(alarmsOf(found, wanted, rule));
  const pieces = [...piecesOf(found), ...alarms.flatMap(({ crops }) => crops)];
  return {
    found,
    alarms,
    keys: [...new Set(pieces.map(({ key }) => key))],
    texts,
    names,
    reading,
    inkless: (inkless) => shown(inkAlarms(inkless, found)),
  };
}

/** What only all pages together say: which day is the oldest, and what is prescribed in place of a line. */
function withoutWhole(found: Found): Found {
  const products = found.products.map((product) => ({ ...product, instead: [] }));
  return { ...found, products, issued: null };
}

/** Of a name that its sender gave. */
const MOST_NAME = 30;

/** As the tab of the document has it after its number. */
function named(name: string | null): string {
  const readable = readableName(name?.slice(0, MOST_NAME) ?? null);
  return readable === null ? '' : ` · ${readable}`;
}

function textOf<Kind extends keyof Said>(alarm: AlarmOf<Kind>, { alarm: texts }: PaperTexts, way: TextWay) {
  return texts[alarm.kind](alarm.said, way);
}

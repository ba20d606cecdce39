import { aroundAll, type Box, type Line, type Mark, type Origin, type PaperPage } from './page-lines';

/** Which pieces of the paper are shown. Pure. */

/** Where the document is shown. */
export interface Place {
  document: number;
  page: number;
  rotation: number;
  box: Box;
}

export interface Crop extends Place {
  /** The same piece of the same paper has the same key. */
  key: string;
  /** The findings in it. */
  marks: readonly Mark[];
  /** Findings that must have ink. */
  inks?: readonly Ink[];
  /** The text of the piece, for screen readers. */
  text: string;
  origin: Origin;
  /** Height of most letters of the page. */
  size: number;
  /** The spaces between its columns, from the left. */
  gaps: readonly Part[];
}

/** From one edge to the other, in points of the page. */
export type Part = Pick<Box, 'left' | 'right'>;

/** `places`: of the words of each finding. One whose words all have ink is enough. */
export interface Ink {
  of: 'line' | 'name' | 'birth' | 'prescriber';
  places: readonly (readonly Mark[])[];
}

const ABOVE = 3;
const BELOW = 2;
/** In letters: 110 px at 12.5 px each. */
const MOST_HEIGHT = 8.8;
const MARGIN = 6;

/** A found line with its neighbours: up to three rows above and two below, cut between rows. */
export function blockAround(page: PaperPage, line: Line, marks: readonly Mark[] = [line.box]): Crop {
  // It lies across the rows, or over them.
  if (line.isTurned || line.origin === 'note')
    return { ...areaCrop(page, line.box, marks), origin: line.origin };
  const rows = page.rows.flatMap((row, at) => (shares(row, line) ? [at] : []));
  const own = page.rows.findIndex((row) => row.includes(line));
  const at = rows.indexOf(own);
  let [first, last] = [Math.max(0, at - ABOVE), Math.min(rows.length - 1, at + BELOW)];
  const height = (): number => bottomOf(page, rows[last] ?? own) - topOf(page, rows[first] ?? own);
  while (height() > MOST_HEIGHT * page.usualSize && last > first) {
    const isFirstFarther =
      distance(page, rows[first] ?? own, line) >= distance(page, rows[last] ?? own, line);
    if (isFirstFarther) first += 1;
    else last -= 1;
  }
  return { ...rowsCrop(page, rows[first] ?? own, rows[last] ?? own, marks), origin: line.origin };
}

/** Of letters that are larger than those of the list below them. */
const LARGER = 1.15;

/**
 * The line above a found one under which its list stands, such as "Earlier medicines:"; null where a piece shows it
 * already. It ends with a colon, is larger, or begins the paragraph without a number.
 */
export function headingOf(page: PaperPage, line: Line, shown: readonly Crop[]): Crop | null {
  const above = page.rows.flatMap((row, at) => {
    const cell = row.find((one) => shares([one], line));
    return cell && cell.box.bottom <= line.box.top + 1 ? [{ at, cell }] : [];
  });
  const heading = above.findLast(({ cell: { text, size, box } }, index) => {
    const before = above[index - 1]?.cell.box.bottom ?? 0;
    const isFirst = box.top - before > page.usualSize && !/\d/.test(text);
    return text.endsWith(':') || size > LARGER * page.usualSize || isFirst;
  });
  if (!heading) return null;
  const { at, cell } = heading;
  const isShown = shown.some(({ box }) => cell.box.top >= box.top - 1 && cell.box.bottom <= box.bottom + 1);
  return isShown ? null : rowsCrop(page, at, at, []);
}

function shares(row: readonly Line[], { box }: Line): boolean {
  return row.some((line) => line.box.left < box.right && line.box.right > box.left);
}

function distance(page: PaperPage, at: number, { box }: Line): number {
  return Math.abs((topOf(page, at) + bottomOf(page, at) - box.top - box.bottom) / 2);
}

function topOf(page: PaperPage, at: number): number {
  return Math.min(...(page.rows[at] ?? []).map(({ box }) => box.top));
}

function bottomOf(page: PaperPage, at: number): number {
  return Math.max(...(page.rows[at] ?? []).map(({ box }) => box.bottom));
}

/** Whole rows, from one to another, with what is drawn beside them: a cross there may take a line back. */
export function rowsCrop(page: PaperPage, first: number, last: number, marks: readonly Mark[]): Crop {
  const lines = page.rows.slice(first, last + 1).flat();
  const [top, bottom] = [topOf(page, first), bottomOf(page, last)];
  const above = first > 0 ? bottomOf(page, first - 1) : top - 2 * MARGIN;
  const below = last + 1 < page.rows.length ? topOf(page, last + 1) : bottom + 2 * MARGIN;
  const band = {
    top: top - Math.min(MARGIN, Math.max(0, (top - above) / 2)),
    bottom: bottom + Math.min(MARGIN, Math.max(0, (below - bottom) / 2)),
  };
  const beside = drawnIn(page, band);
  const around = aroundAll([...lines.map(({ box }) => box), ...beside]);
  const gaps = gapsBetween([...lines.flatMap(piecesOf), ...beside]);
  const text = lines.map((line) => line.text).join(' · ');
  return cropOf(page, { ...around, ...band }, { marks, text, gaps });
}

export function wholePage({ document, number, rotation, width, height }: PaperPage): Place {
  return { document, page: number, rotation, box: { left: 0, top: 0, right: width, bottom: height } };
}

/** A place with what is around it. */
export function areaCrop(page: PaperPage, box: Box, marks: readonly Mark[] = [box]): Crop {
  const around = {
    left: 0,
    right: page.width,
    top: box.top - 2 * MARGIN,
    bottom: Math.min(box.bottom + 2 * MARGIN, box.top + 2 * MOST_HEIGHT * (page.usualSize || 12)),
  };
  const lines = page.lines.filter((line) => line.box.bottom > around.top && line.box.top < around.bottom);
  const gaps = gapsBetween([...lines.flatMap(piecesOf), ...drawnIn(page, around)]);
  return cropOf(page, around, { marks, text: lines.map(({ text }) => text).join(' · '), gaps });
}

type Content = Pick<Crop, 'marks' | 'text' | 'gaps'>;

function cropOf(page: PaperPage, box: Box, content: Content): Crop {
  const within = {
    left: Math.max(0, box.left - MARGIN),
    right: Math.min(page.width, box.right + MARGIN),
    top: Math.max(0, box.top),
    bottom: Math.min(page.height, box.bottom),
  };
  const { document, number, rotation, usualSize: size } = page;
  const place = [within.left, within.top, within.right, within.bottom].map(Math.round).join(',');
  const key = `${document}/${number}/${place}`;
  return { key, document, page: number, rotation, box: within, origin: 'text', size, ...content };
}

function drawnIn({ drawings }: PaperPage, { top, bottom }: Pick<Box, 'top' | 'bottom'>): Box[] {
  return drawings.filter((one) => one.bottom > top && one.top < bottom);
}

function piecesOf({ pieces }: Line): Box[] {
  return pieces.map(({ piece }) => piece.box);
}

/** Narrower ones are spaces between words; in points. */
const LEAST_GAP = 5;

function gapsBetween(boxes: readonly Box[]): Part[] {
  const [first, ...others] = boxes.toSorted((one, other) => one.left - other.left);
  let end = first?.right ?? 0;
  return others.flatMap(({ left, right }) => {
    const gap = left - end > LEAST_GAP ? [{ left: end, right: left }] : [];
    end = Math.max(end, right);
    return gap;
  });
}

/** Of a part without a gap, so much is shown once more in the next part: no word is cut in both. */
const REPEATED = 0.2;
/** Parts of about the same width have the largest letters; gaps are seldom where they would be best. */
const TOLERANCE = 1.2;

/** The parts of a piece that is shown in rows, each at most `most` wide, cut between its columns where they are. */
export function partsOf({ box, gaps }: Pick<Crop, 'box' | 'gaps'>, most: number): Part[] {
  const width = box.right - box.left;
  const wanted = Math.min(most, (TOLERANCE * width) / Math.ceil(width / most));
  const parts: Part[] = [];
  let { left } = box;
  while (width > most && box.right - left > wanted) {
    const [least, reach] = [left + wanted / 3, left + wanted];
    const gap = gaps.findLast((one) => one.right > least && one.left <= reach);
    const right = gap ? Math.min(reach, Math.max(least, (gap.left + gap.right) / 2)) : reach;
    parts.push({ left, right });
    left = gap ? right : reach - REPEATED * wanted;
  }
  return [...parts, { left, right: box.right }];
}

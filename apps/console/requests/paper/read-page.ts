import { type Box, linesOf, type PaperPage, type Piece } from './page-lines';
import { NO_REST, type Rest } from './turns';

/** The text items of pdf.js for a page become lines with their places. Pure. */

type Matrix = readonly number[];

/** As pdf.js gives it. */
export interface RawPage {
  number: number;
  /** Of the page at scale 1, upright as in its file. */
  viewport: { width: number; height: number; rotation: number; transform: Matrix };
  items: readonly RawItem[];
  annotations: readonly RawAnnotation[];
  operators: { fnArray: readonly number[]; argsArray: readonly unknown[] };
}

interface RawItem {
  /** A mark of structure has none. */
  str?: string;
  dir?: string;
  type?: string;
  width?: number;
  height?: number;
  transform?: readonly unknown[];
}

interface RawAnnotation {
  id?: string;
  subtype?: string;
  rect: readonly number[];
  annotationFlags?: number;
  fieldValue?: unknown;
  contentsObj?: { str?: string };
  textContent?: readonly string[];
}

/** Operators that draw text, pictures and strokes, and say where, how and of which annotation. */
const COUNTED = [
  'save',
  'restore',
  'transform',
  'setTextRenderingMode',
  'showText',
  'moveText',
  'nextLine',
  'setLeadingMoveText',
  'constructPath',
  'endPath',
  'paintSolidColorImageMask',
  'paintImageXObject',
  'paintInlineImageXObject',
  'paintImageMaskXObject',
  'paintInlineImageXObjectGroup',
  'paintImageXObjectRepeat',
  'paintImageMaskXObjectRepeat',
  'paintImageMaskXObjectGroup',
  'paintFormXObjectBegin',
  'paintFormXObjectEnd',
  'beginAnnotation',
  'endAnnotation',
] as const;

/** Their numbers. */
export type Operators = Readonly<Record<(typeof COUNTED)[number], number>>;

export async function pageOf(
  document: number,
  raw: RawPage,
  operators: Operators,
  rest = NO_REST,
): Promise<PaperPage> {
  const turn = mainTurn(raw);
  const view = turned(raw.viewport, turn);
  const texts: Piece[] = [];
  for (const [at, item] of raw.items.entries()) {
    if (at % ITEMS_PER_REST === 0) await rest();
    texts.push(...pieceOf(item, view.transform));
  }
  await rest();
  const { isUndrawn, noted, drawings } = await drawnOn(raw, { names: operators, view, rest });
  const shown = raw.annotations.filter(
    ({ annotationFlags = 0, subtype = '' }) => (annotationFlags & HIDDEN) === 0 && !UNDRAWN.has(subtype),
  );
  const others = shown.flatMap((one) => annotated(one, noted.get(one.id ?? '') ?? '', view.transform));
  // A page that is cut shows nothing of what lies outside of it.
  const isOn = ({ box }: Piece): boolean =>
    box.right > 0 && box.left < view.width && box.bottom > 0 && box.top < view.height;
  const covers = shown
    .filter(({ subtype }) => subtype !== 'Widget')
    .map(({ rect }) => boxOfRect(rect, view.transform));
  await rest();
  const lines = await linesOf([...texts, ...others].filter(isOn), rest);
  await rest();
  return {
    document,
    number: raw.number,
    rotation: (raw.viewport.rotation + turn) % 360,
    width: view.width,
    height: view.height,
    ...lines,
    covers,
    drawings: [...drawings, ...covers.filter(isShort)],
    isPicture: isUnreadable(texts) || isUndrawn,
  };
}

const ITEMS_PER_REST = 200;

/** Hidden, or not for the screen. */
const HIDDEN = 2 | 32;
/** A popup is closed, and its text is that of its annotation. */
const UNDRAWN = new Set(['Link', 'Popup']);

function times(one: Matrix, other: Matrix): number[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = one;
  const [g = 0, h = 0, i = 0, j = 0, k = 0, l = 0] = other;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function point([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Quarter turns, clockwise, that make most of the text upright: a page may have been scanned lying. */
function mainTurn({ items, viewport }: RawPage): number {
  const letters = [0, 0, 0, 0];
  for (const { str = '', transform } of items) {
    const quarter = (4 - Math.round(angleOf(times(viewport.transform, numbers(transform))) / 90)) % 4;
    letters[quarter] = (letters[quarter] ?? 0) + str.trim().length;
  }
  return letters.indexOf(Math.max(...letters)) * 90;
}

/** Clockwise from the reading direction, from 0 to 360. */
function angleOf([a = 1, b = 0]: Matrix): number {
  return ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;
}

function numbers(list: readonly unknown[] | undefined): number[] {
  return (list ?? []).map(Number);
}

function turned({ width, height, transform }: RawPage['viewport'], turn: number) {
  const turns: Record<number, Matrix> = {
    90: [0, 1, -1, 0, height, 0],
    180: [-1, 0, 0, -1, width, height],
    270: [0, -1, 1, 0, 0, width],
  };
  const isLying = turn % 180 !== 0;
  const all = turns[turn] ? times(turns[turn], transform) : transform;
  return { width: isLying ? height : width, height: isLying ? width : height, transform: all };
}

/** Degrees up to which a line counts as upright. */
const UPRIGHT = 5;

/** Letters stand on the base line, and reach a little below it. */
const BELOW = 0.22;

function pieceOf({ str = '', dir, width = 0, height = 0, transform }: RawItem, view: Matrix): Piece[] {
  if (str.trim() === '' || !transform) return [];
  const matrix = times(view, numbers(transform));
  const angle = angleOf(matrix);
  const isTurned = angle > UPRIGHT && angle < 360 - UPRIGHT;
  const [x = 0, y = 0] = matrix.slice(4);
  const size = height || Math.hypot(matrix[2] ?? 0, matrix[3] ?? 0);
  const along = (angle * Math.PI) / 180;
  const [dx, dy] = [Math.cos(along) * width, Math.sin(along) * width];
  const [ux, uy] = [Math.sin(along) * size, -Math.cos(along) * size];
  const xs = [x - ux * BELOW, x + dx - ux * BELOW, x + ux, x + dx + ux];
  const ys = [y - uy * BELOW, y + dy - uy * BELOW, y + uy, y + dy + uy];
  const isRightToLeft = dir === 'rtl';
  return [{ text: str, box: around(xs, ys), size, isTurned, isRightToLeft, origin: 'text' }];
}

function around(xs: readonly number[], ys: readonly number[]): Box {
  return {
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...xs),
    bottom: Math.max(...ys),
  };
}

function boxOfRect([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[], view: Matrix): Box {
  const corners = [point(view, x1, y1), point(view, x2, y2), point(view, x1, y2), point(view, x2, y1)];
  return around(
    corners.map(([x]) => x),
    corners.map(([, y]) => y),
  );
}

/** Of a field whose letters are as large as the field lets them. */
const FIELD_SIZE = 12;

/** Values of fields lie in the lines of the form; other annotations are separate lines: what they state and draw. */
function annotated(annotation: RawAnnotation, noted: string, view: Matrix): Piece[] {
  const { subtype, rect, fieldValue, contentsObj, textContent = [] } = annotation;
  const isField = subtype === 'Widget';
  const stated = [contentsObj?.str ?? '', textContent.join('\n')];
  const values = isField ? [fieldText(fieldValue)] : withoutRepeats([...stated, noted]);
  const texts = withoutRepeats(values.join('\n').split(/[\r\n]+/));
  const box = boxOfRect(rect, view);
  const height = (box.bottom - box.top) / texts.length;
  return texts.map((text, at) => ({
    text,
    box: isField ? { ...box, top: box.top + at * height, bottom: box.top + (at + 1) * height } : box,
    size: Math.min(height, FIELD_SIZE),
    isTurned: false,
    origin: isField ? 'field' : 'note',
    field: box,
  }));
}

/** A drawn text often repeats the stated one, in other letters or parted otherwise. */
function withoutRepeats(texts: readonly string[]): string[] {
  const letters = (text: string): string => text.replaceAll(/\s/g, '').toLowerCase();
  const all = texts.filter((text) => text.trim() !== '');
  return all.filter((text, at) => !all.slice(0, at).some((before) => letters(before) === letters(text)));
}

function fieldText(value: unknown): string {
  const texts = Array.isArray(value) ? value : [value];
  return texts.filter((text) => typeof text === 'string' && text !== 'Off').join('\n');
}

const FEW_LETTERS = 12;
/** Of a page, to judge whether it can be read. */
const MOST_PIECES = 500;

/** Too little text, or signs of a font that does not say which letters they are. */
function isUnreadable(pieces: readonly Piece[]): boolean {
  const text = pieces
    .slice(0, MOST_PIECES)
    .map((piece) => piece.text)
    .join(' ');
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  if (letters < FEW_LETTERS) return true;
  const odd = text.match(/[\p{Co}\p{Cn}\ufffd\u0000-\u001f]/gu)?.length ?? 0;
  if (odd > letters / 4) return true;
  // Numbers of glyphs that are read as letters give words without vowels, and no small letters.
  const small = text.match(/\p{Ll}|\p{Lo}/gu)?.length ?? 0;
  const words = text.split(/\s+/).filter((word) => /(?:\p{Script=Latin}.*){3}/u.test(word));
  const plain = words.filter((word) =>
    /^[^\p{L}\p{N}]*\p{L}*[aeiouyäöü][\p{L}\p{M}]*[^\p{L}\p{N}]*$/iu.test(word),
  );
  return words.length >= FEW_WORDS && plain.length < words.length * 0.7 && small < letters / 5;
}

const FEW_WORDS = 6;

/**
 * Whether most of the page's text is invisible, or lies under a picture that is drawn after it. Also the text that each
 * annotation draws, by its id, and drawings without text.
 */
async function drawnOn({ operators, viewport }: RawPage, { names, view, rest }: DrawnWay) {
  const { fnArray, argsArray } = operators;
  const area = viewport.width * viewport.height;
  const stack: { matrix: Matrix; mode: number }[] = [];
  let now: { matrix: Matrix; mode: number } = { matrix: [1, 0, 0, 1, 0, 0], mode: 0 };
  let [seen, unseen] = [0, 0];
  const noted = new Map<string, string>();
  const drawings: Box[] = [];
  let note: string | null = null;
  const add = (text: string): void => {
    if (note !== null) noted.set(note, (noted.get(note) ?? '') + text);
  };
  const counted = new Set(COUNTED.map((name) => names[name]));
  for (const [at, name] of fnArray.entries()) {
    if (at % OPERATORS_PER_REST === 0) await rest();
    if (!counted.has(name)) continue;
    const args: unknown = argsArray[at];
    const list: readonly unknown[] = Array.isArray(args) ? args : [];
    if (name === names.save || name === names.paintFormXObjectBegin) stack.push({ ...now });
    if (name === names.restore || name === names.paintFormXObjectEnd) now = stack.pop() ?? now;
    const isMoved = name === names.transform || name === names.paintFormXObjectBegin;
    const matrix = isMoved ? listOf(name === names.transform ? list : list[0]) : null;
    if (matrix) now.matrix = times(now.matrix, matrix);
    if (name === names.setTextRenderingMode) now.mode = Number(list[0]);
    if (name === names.beginAnnotation) [note, now.mode] = [String(list[0]), 0];
    if (name === names.endAnnotation) note = null;
    const isDown = name === names.nextLine || name === names.setLeadingMoveText;
    if (isDown || (name === names.moveText && Number(list[1]) !== 0)) add('\n');
    if (name === names.showText) {
      const glyphs: readonly unknown[] = Array.isArray(list[0]) ? list[0] : [];
      const isUnseen = INVISIBLE.has(now.mode);
      if (note === null && isUnseen) unseen += glyphs.length;
      else if (note === null) seen += glyphs.length;
      else if (!isUnseen) add(` ${textOf(glyphs)}`);
    }
    if (note === null && drawings.length < MOST_DRAWINGS)
      drawings.push(...drawingOf(name, list, { names, view, matrix: now.matrix }));
    if (name !== names.paintImageXObject && name !== names.paintInlineImageXObject) continue;
    const [a = 0, b = 0, c = 0, d = 0] = now.matrix;
    if (Math.abs(a * d - b * c) > area / 2) [seen, unseen] = [0, unseen + seen];
  }
  const isFull = drawings.length >= MOST_DRAWINGS;
  return { isUndrawn: unseen > seen, noted, drawings: isFull ? [wholeOf(view)] : drawings };
}

interface DrawnWay extends Pick<DrawnBy, 'names' | 'view'> {
  rest: Rest;
}

/** A page of 5,000 words has ten times as many. */
const OPERATORS_PER_REST = 1_000;

/** Of a page with more, each piece is as wide as the page. */
const MOST_DRAWINGS = 10_000;

/** As pdf.js has a list of numbers. */
function listOf(value: unknown): number[] | null {
  return Array.isArray(value) || value instanceof Float32Array ? numbers([...value]) : null;
}

interface DrawnBy {
  names: Operators;
  view: ReturnType<typeof turned>;
  matrix: Matrix;
}

/** What an operator draws beside text. */
function drawingOf(name: number, list: readonly unknown[], { names, view, matrix }: DrawnBy): Box[] {
  const placed = (rect: readonly number[]): Box => boxOfRect(rect, times(view.transform, matrix));
  switch (name) {
    case names.constructPath: {
      const [ends, , rect] = list;
      const corners = listOf(rect);
      // A path that is not painted only cuts off what is drawn later.
      return corners && ends !== names.endPath ? [placed(corners)].filter(isShort) : [];
    }
    case names.paintSolidColorImageMask:
      return [placed(UNIT)].filter(isShort);
    case names.paintImageXObject:
    case names.paintInlineImageXObject:
    case names.paintImageMaskXObject:
      return [placed(UNIT)];
    case names.paintInlineImageXObjectGroup:
    case names.paintImageXObjectRepeat:
    case names.paintImageMaskXObjectRepeat:
    case names.paintImageMaskXObjectGroup:
      return [wholeOf(view)];
    default:
      return [];
  }
}

/** A picture is drawn in it. */
const UNIT = [0, 0, 1, 1];

/** Lines and frames of a form are longer than what a person puts beside a line; in points. */
const LONGEST_STROKE = 150;

function isShort({ left, top, right, bottom }: Box): boolean {
  return right - left <= LONGEST_STROKE && bottom - top <= LONGEST_STROKE;
}

function wholeOf({ width, height }: Pick<PaperPage, 'width' | 'height'>): Box {
  return { left: 0, top: 0, right: width, bottom: height };
}

/** The modes in which text is neither filled nor drawn. */
const INVISIBLE = new Set([3, 7]);

/** Among the letters are numbers that move the next one. */
function textOf(glyphs: readonly unknown[]): string {
  const letters = glyphs.map((glyph) =>
    typeof glyph === 'object' && glyph !== null && 'unicode' in glyph ? String(glyph.unicode) : '',
  );
  return letters.join('');
}

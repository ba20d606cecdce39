import { cleaned, type Folded, findWord, folded, lettersBefore } from './folding';
import { drawnPlaces } from './right-to-left';
import { NO_REST } from './turns';

/** The visual lines of a page, made from the places of its words. Pure. */

/** Points from the top left corner of a page that is held so that it can be read. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A found word. A form field or annotation may draw it elsewhere in its own box. */
export interface Mark extends Box {
  field?: Box;
}

export type Origin = 'text' | 'field' | 'note';

export interface Piece {
  text: string;
  box: Box;
  /** Of the letters. */
  size: number;
  isTurned: boolean;
  /** Most of it is read so. */
  isRightToLeft?: boolean;
  origin: Origin;
  /** The form field or annotation whose text it is. */
  field?: Box;
}

export interface PaperPage {
  /** Number of the document, and of the page in it, from 1. */
  document: number;
  number: number;
  /** In which the boxes are right, in degrees. */
  rotation: number;
  width: number;
  height: number;
  lines: readonly Line[];
  /** The lines of each height, from the top. */
  rows: readonly (readonly Line[])[];
  /** Height of most letters. */
  usualSize: number;
  /** Annotations that lie on the page. */
  covers: readonly Box[];
  /** Pictures, and short strokes, shapes and annotations, as a person puts them beside a line. */
  drawings: readonly Box[];
  /** It has no text that is drawn and can be read. */
  isPicture: boolean;
}

/** A part of a row, as far as no wide gap parts it. */
export interface Line extends Folded {
  /** A word that the next line goes on with. */
  tail: Folded | null;
  box: Box;
  size: number;
  isTurned: boolean;
  origin: Origin;
  pieces: readonly { at: number; piece: Piece }[];
}

/** Gap in letters from which a new column begins. */
const COLUMN_GAP = 2;
/** Between single letters, which are narrower than their height. */
const LETTER_GAP = 8;

/** `rest` is asked between the rows: a page may have thousands of words. */
export async function linesOf(
  pieces: readonly Piece[],
  rest = NO_REST,
): Promise<Pick<PaperPage, 'lines' | 'rows' | 'usualSize'>> {
  const isUpright = ({ isTurned, origin }: Piece): boolean => !isTurned && origin !== 'note';
  const upright = pieces.filter(isUpright);
  await rest();
  const rows: Line[][] = [];
  for (const row of rowsOf(upright)) {
    await rest();
    rows.push(cellsOf(row));
  }
  rows.forEach((row, at) => {
    for (const line of row) line.tail = tailOf(line, rows[at + 1] ?? []);
  });
  const others = withLettersJoined(pieces.filter((piece) => !isUpright(piece))).map(lineOf);
  return { lines: [...rows.flat(), ...others], rows, usualSize: usualSizeOf(upright) };
}

function rowsOf(pieces: readonly Piece[]): Piece[][] {
  const middle = ({ box }: Piece): number => (box.top + box.bottom) / 2;
  const rows: { at: number; size: number; pieces: Piece[] }[] = [];
  for (const piece of pieces.toSorted((one, other) => middle(one) - middle(other))) {
    const row = rows.at(-1);
    const at = middle(piece);
    if (row && at - row.at < Math.min(row.size, piece.size) / 2) row.pieces.push(piece);
    else rows.push({ at, size: piece.size, pieces: [piece] });
  }
  return rows.map((row) => row.pieces.sort((one, other) => one.box.left - other.box.left));
}

function cellsOf(row: readonly Piece[]): Line[] {
  const cells: Piece[][] = [];
  for (const piece of row) {
    const before = cells.at(-1)?.at(-1);
    const gap = before && isLetter(before) && isLetter(piece) ? LETTER_GAP : COLUMN_GAP;
    if (before && piece.box.left - before.box.right <= gap * letterOf(before)) cells.at(-1)?.push(piece);
    else cells.push([piece]);
  }
  return cells.map(lineOf);
}

/** Letters of turned text that are drawn one by one are a word. */
function withLettersJoined(pieces: readonly Piece[]): Piece[][] {
  const words: Piece[][] = [];
  for (const piece of pieces) {
    const before = words.at(-1)?.at(-1);
    const isNext = before?.isTurned === true && isLetter(before) && isLetter(piece);
    if (isNext && before.size === piece.size) words.at(-1)?.push(piece);
    else words.push([piece]);
  }
  return words;
}

function isLetter({ text }: Piece): boolean {
  return /^\s*\p{L}\s*$/u.test(text);
}

function letterOf({ box, text, size }: Piece): number {
  return text.length > 1 ? (box.right - box.left) / text.length : size / 2;
}

/** Gap in parts of the letters' height from which it is a space. */
const SPACE_GAP = 0.18;

function lineOf(pieces: readonly Piece[]): Line {
  let text = '';
  const placed = pieces.map((piece, index) => {
    const before = pieces[index - 1];
    const isApart = before !== undefined && piece.box.left - before.box.right > SPACE_GAP * piece.size;
    if (isApart && !text.endsWith(' ')) text += ' ';
    const at = text.length;
    text += piece.text;
    return { at, piece };
  });
  return {
    ...foldedText(cleaned(text).trim()),
    tail: null,
    box: aroundAll(pieces.map(({ box }) => box)),
    size: Math.max(...pieces.map(({ size }) => size)),
    isTurned: pieces[0]?.isTurned ?? false,
    origin: pieces.find(({ origin }) => origin !== 'text')?.origin ?? 'text',
    pieces: placed,
  };
}

function foldedText(text: string): Folded {
  return { text, forms: folded(text) };
}

function tailOf({ text, box }: Line, next: readonly Line[]): Folded | null {
  const begun = /([\p{L}\p{M}]+)[-‐]$/u.exec(text)?.[1];
  if (begun === undefined) return null;
  const below = next.find((line) => line.box.left < box.right && line.box.right > box.left);
  const rest = /^\p{Ll}[\p{L}\p{M}]*/u.exec(below?.text ?? '')?.[0];
  return rest === undefined ? null : foldedText(begun + rest);
}

/** The middle of the sizes, by letters. */
function usualSizeOf(pieces: readonly Piece[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of pieces) {
    const rounded = Math.round(size * 2) / 2;
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
  }
  const sizes = [...letters].sort(([one], [other]) => one - other);
  let left = sizes.reduce((sum, [, count]) => sum + count, 0) / 2;
  return sizes.find(([, count]) => (left -= count) <= 0)?.[0] ?? 0;
}

/** Where a line has a word that begins so; null where it has none. */
export function placeOf(line: Line, word: readonly string[], isWhole = false): Mark | null {
  const place = findWord(line, word, isWhole);
  if (place) return boxOf(line, place.from, place.to);
  return line.tail && findWord(line.tail, word, isWhole) ? line.box : null;
}

/** In each piece, letters count as equally wide. */
export function boxOf(line: Line, from: number, to: number): Mark {
  if (line.isTurned || line.origin === 'note') return { ...line.box, field: line.pieces[0]?.piece.field };
  const before = line.pieces.reduce((text, { at, piece }) => text.padEnd(at) + piece.text, '');
  const letters = lettersBefore(line.text, before).slice(from, to);
  const [begin = 0, end = -1] = [letters[0], letters.at(-1)];
  const parts = line.pieces.flatMap(({ at, piece }) => {
    const [first, last] = [Math.max(begin, at), Math.min(end + 1, at + piece.text.length)];
    return first < last ? [partOf(piece, first - at, last - at)] : [];
  });
  const field = parts.find((part) => part.field)?.field;
  return parts.length === 0 ? line.box : { ...aroundAll(parts), field };
}

function partOf({ text, box, field, isRightToLeft = false }: Piece, from: number, to: number): Mark {
  const letter = (box.right - box.left) / text.length;
  const places = drawnPlaces(text, isRightToLeft).slice(from, to);
  const left = box.left + Math.min(...places) * letter;
  return { ...box, left, right: box.left + (Math.max(...places) + 1) * letter, field };
}

export function aroundAll(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

export function isOver(one: Box, other: Box): boolean {
  const isBeside = one.left < other.right && one.right > other.left;
  return isBeside && one.top < other.bottom && one.bottom > other.top;
}

import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { Crop, Ink, Part } from './crops';
import type { Mark, PaperPage } from './page-lines';

/** Draws pieces of pages from the document's own pixels: each page once, for all of its pieces. */

const LETTER_PX = 12.5;
/** Pixels of a point: pages of odd letters stay readable, and small enough. */
const SCALE = { least: 0.9, most: 2 };
/** A screen with more pixels per px than this shows no more of a piece. */
const MAX_DENSITY = 2;
const MAX_PIXELS = 24_000_000;
/** Pages kept; a usual request has one or two. */
const KEPT = 4;

interface Drawing {
  key: string;
  canvas: Promise<HTMLCanvasElement>;
}

const drawings = new WeakMap<PDFDocumentProxy, Drawing[]>();

/** The px of a point on the screen, for letters of this size. */
export function scaleOf(size: number): number {
  return Math.min(SCALE.most, Math.max(SCALE.least, LETTER_PX / (size || LETTER_PX)));
}

function densityOf(): number {
  return Math.min(window.devicePixelRatio, MAX_DENSITY);
}

/** The page of most pieces, while they are looked for. */
export function drawAhead(document: PDFDocumentProxy, { number, rotation, usualSize }: PaperPage): void {
  void drawnPage(document, { page: number, rotation, size: usualSize }).catch(() => null);
}

/** Draws the piece, each part on its canvas. Resolves with the findings of it that have no ink. */
export async function drawCrop(
  document: PDFDocumentProxy,
  crop: Crop,
  parts: readonly (readonly [Part, HTMLCanvasElement])[],
): Promise<Ink[]> {
  const page = await drawnPage(document, crop);
  for (const [part, canvas] of parts) drawPart(page, { ...crop, box: { ...crop.box, ...part } }, canvas);
  const isDrawnAt = (marks: readonly Mark[]): boolean => marks.every((mark) => hasInk(page, mark));
  return (crop.inks ?? []).filter(({ places }) => places.length > 0 && !places.some(isDrawnAt));
}

function drawPart(page: HTMLCanvasElement, { box, size }: Crop, canvas: HTMLCanvasElement): void {
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const wanted = scaleOf(size) * densityOf();
  canvas.width = Math.max(1, Math.round(width * wanted));
  canvas.height = Math.max(1, Math.round(height * wanted));
  const drawn = drawnScale(page);
  const source = [box.left * drawn, box.top * drawn, width * drawn, height * drawn] as const;
  canvas.getContext('2d')?.drawImage(page, ...source, 0, 0, canvas.width, canvas.height);
}

/** The pixels of a point: a very large page is drawn smaller. */
function drawnScale(page: HTMLCanvasElement): number {
  return page.width / Number(page.dataset['points']);
}

type DrawnPart = Pick<Crop, 'page' | 'rotation' | 'size'>;

function drawnPage(document: PDFDocumentProxy, crop: DrawnPart): Promise<HTMLCanvasElement> {
  const scale = scaleOf(crop.size) * densityOf();
  const key = `${crop.page} ${crop.rotation} ${scale}`;
  const kept = drawings.get(document) ?? [];
  const known = kept.find((drawing) => drawing.key === key);
  const drawing = known ?? { key, canvas: drawPage(document, crop, scale) };
  drawing.canvas.catch(() => drawings.delete(document));
  drawings.set(document, [drawing, ...kept.filter((one) => one !== known)].slice(0, KEPT));
  return drawing.canvas;
}

async function drawPage(
  document: PDFDocumentProxy,
  { page: number, rotation }: DrawnPart,
  wanted: number,
): Promise<HTMLCanvasElement> {
  const page = await document.getPage(number);
  const natural = page.getViewport({ scale: 1, rotation });
  const scale = Math.min(wanted, Math.sqrt(MAX_PIXELS / (natural.width * natural.height)));
  const viewport = page.getViewport({ scale, rotation });
  const canvas = window.document.createElement('canvas');
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  canvas.dataset['points'] = String(natural.width);
  await page.render({ canvas, viewport }).promise;
  return canvas;
}

/** Of 255: paler words cannot be seen. */
const LEAST_CONTRAST = 24;

/** Of the rows and of the columns of its box: a ruled line through pale words is not their ink. */
const LEAST_INK = 0.25;

/** The frame of a field is not its ink. */
const FRAME = 2;

function hasInk(page: HTMLCanvasElement, mark: Mark): boolean {
  const scale = drawnScale(page);
  const { left, top, right, bottom } = mark.field ?? mark;
  const frame = mark.field ? FRAME : 0;
  const x = Math.max(0, (left + frame) * scale);
  const y = Math.max(0, (top + frame) * scale);
  const w = Math.ceil(Math.min(page.width, (right - frame) * scale) - x);
  const h = Math.ceil(Math.min(page.height, (bottom - frame) * scale) - y);
  const context = page.getContext('2d');
  if (!context || w < 1 || h < 1) return true;
  const { data } = context.getImageData(x, y, w, h);
  const light = Array.from(
    { length: w * h },
    (_, at) => 0.3 * (data[4 * at] ?? 0) + 0.6 * (data[4 * at + 1] ?? 0) + 0.1 * (data[4 * at + 2] ?? 0),
  );
  const lines = (count: number, length: number, at: (line: number, place: number) => number): number =>
    Array.from({ length: count }, (_, line) => {
      const along = Array.from({ length }, (_one, place) => light[at(line, place)] ?? 255);
      return Math.max(...along) - Math.min(...along) >= LEAST_CONTRAST;
    }).filter(Boolean).length / count;
  const rows = lines(h, w, (y, x) => y * w + x);
  const columns = lines(w, h, (x, y) => y * w + x);
  return rows >= LEAST_INK && columns >= LEAST_INK;
}

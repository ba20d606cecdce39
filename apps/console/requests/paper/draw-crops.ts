import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { Box, PaperPage } from './page-lines';
import type { Crop } from './crops';

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

/** On the screen, in px. */
export function sizeOf({ box, size }: Crop): { width: number; height: number } {
  const scale = scaleOf(size);
  return { width: (box.right - box.left) * scale, height: (box.bottom - box.top) * scale };
}

function scaleOf(size: number): number {
  return Math.min(SCALE.most, Math.max(SCALE.least, LETTER_PX / (size || LETTER_PX)));
}

function densityOf(): number {
  return Math.min(window.devicePixelRatio, MAX_DENSITY);
}

/** The page of most pieces, while they are looked for. */
export function drawAhead(document: PDFDocumentProxy, { number, rotation, usualSize }: PaperPage): void {
  void drawnPage(document, { page: number, rotation, size: usualSize }).catch(() => null);
}

/** Draws the piece. Resolves with false where one of its marked words has no ink. */
export async function drawCrop(
  document: PDFDocumentProxy,
  crop: Crop,
  canvas: HTMLCanvasElement,
): Promise<boolean> {
  const { width, height } = sizeOf(crop);
  const density = densityOf();
  const page = await drawnPage(document, crop);
  // A very large page is drawn smaller.
  const drawn = page.width / Number(page.dataset['points']);
  canvas.width = Math.max(1, Math.round(width * density));
  canvas.height = Math.max(1, Math.round(height * density));
  const { left, top, right, bottom } = crop.box;
  const source = [left * drawn, top * drawn, (right - left) * drawn, (bottom - top) * drawn] as const;
  const context = canvas.getContext('2d');
  context?.drawImage(page, ...source, 0, 0, canvas.width, canvas.height);
  return !context || crop.marks.every((mark) => hasInk(context, mark, crop));
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

function hasInk(context: CanvasRenderingContext2D, mark: Box, { box }: Crop): boolean {
  const { width, height } = context.canvas;
  const scale = width / (box.right - box.left);
  const [x, y] = [Math.floor((mark.left - box.left) * scale), Math.floor((mark.top - box.top) * scale)];
  const [w, h] = [(mark.right - mark.left) * scale, (mark.bottom - mark.top) * scale].map(Math.ceil);
  if (!w || !h || x + w < 0 || y + h < 0 || x > width || y > height) return true;
  const { data } = context.getImageData(x, y, w, h);
  let [darkest, lightest] = [255, 0];
  for (let at = 0; at < data.length; at += 4) {
    const light = 0.3 * (data[at] ?? 0) + 0.6 * (data[at + 1] ?? 0) + 0.1 * (data[at + 2] ?? 0);
    darkest = Math.min(darkest, light);
    lightest = Math.max(lightest, light);
  }
  return lightest - darkest >= LEAST_CONTRAST;
}

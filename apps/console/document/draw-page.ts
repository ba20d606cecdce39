import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';

export interface Look {
  /** On the screen, in px. */
  width: number;
  /** Degrees clockwise. */
  turn: number;
}

/** A screen with more pixels per px than this shows no more of a page. */
const MAX_DENSITY = 2;

export interface DrawnPage {
  page: PDFPageProxy;
  /** Height over width. */
  ratio: number;
  rotation: number;
  scale: number;
}

/** Draws page `number` (from 1). Rejects when `signal` aborts. */
export async function drawPage(
  document: PDFDocumentProxy,
  number: number,
  { width, turn }: Look,
  canvas: HTMLCanvasElement,
  signal: AbortSignal,
): Promise<DrawnPage> {
  const page = await document.getPage(number);
  const rotation = (page.rotate + turn) % 360;
  const natural = page.getViewport({ scale: 1, rotation });
  const scale = width / natural.width;
  const density = Math.min(window.devicePixelRatio, MAX_DENSITY);
  const viewport = page.getViewport({ scale: scale * density, rotation });
  signal.throwIfAborted();
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const rendering = page.render({ canvas, viewport });
  signal.addEventListener('abort', () => rendering.cancel());
  await rendering.promise;
  return { page, ratio: natural.height / natural.width, rotation, scale };
}

import { type PDFDocumentProxy, RenderingCancelledException, TextLayer } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import css from './document-pane.module.css';
import { type DrawnPage, drawPage } from './draw-page';
import { markPlaces, type PlacesIn } from './text-marks';
import { useNear } from './use-near';

interface Props {
  document: PDFDocumentProxy;
  /** From 1. */
  number: number;
  /** On the screen, in px. */
  width: number;
  /** Degrees clockwise. */
  turn: number;
  /** What is marked in its text. */
  placesIn: PlacesIn;
  onPainted: (() => void) | undefined;
  onBroken: () => void;
}

/** A4 upright, until the page is known. */
const USUAL_RATIO = 1.414;

/** One page: drawn when it comes near the screen, and drawn again when its size changes. */
export function PdfPage({ document, number, width, turn, placesIn, onPainted, onBroken }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const words = useRef<HTMLDivElement>(null);
  const isNear = useNear(frame);
  const [ratio, setRatio] = useState(USUAL_RATIO);
  useEffect(() => {
    const { current: drawn } = canvas;
    const { current: laid } = words;
    if (!isNear || !drawn || !laid) return undefined;
    const drawing = new AbortController();
    let unmark = (): void => undefined;
    const draw = async (): Promise<void> => {
      const page = await drawPage(document, number, { width, turn }, drawn, drawing.signal);
      setRatio(page.ratio);
      unmark = await layText(page, laid, placesIn);
      if (drawing.signal.aborted) unmark();
      // Two frames later the pixels are on the screen.
      else requestAnimationFrame(() => requestAnimationFrame(() => onPainted?.()));
    };
    draw().catch((error: unknown) => {
      if (!drawing.signal.aborted && !(error instanceof RenderingCancelledException)) onBroken();
    });
    return () => {
      drawing.abort();
      unmark();
    };
  }, [document, number, width, turn, isNear, placesIn, onPainted, onBroken]);
  return (
    <div className={css.page} data-page={number} ref={frame} style={{ width, height: width * ratio }}>
      <canvas ref={canvas} className={css.canvas} />
      <div ref={words} className={css.words} />
    </div>
  );
}

/** The page's text lies over its drawing. Resolves with what takes the marks away. */
async function layText(
  { page, rotation, scale }: DrawnPage,
  words: HTMLElement,
  placesIn: PlacesIn,
): Promise<() => void> {
  words.replaceChildren();
  words.style.setProperty('--total-scale-factor', String(scale));
  const layer = new TextLayer({
    textContentSource: await page.getTextContent(),
    container: words,
    viewport: page.getViewport({ scale, rotation }),
  });
  await layer.render();
  return markPlaces(words, placesIn);
}

import { type PDFDocumentProxy, type PDFPageProxy, RenderingCancelledException, TextLayer } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import css from './document-pane.module.css';

interface Props {
  document: PDFDocumentProxy;
  /** From 1. */
  number: number;
  /** On the screen, in px. */
  width: number;
  /** Degrees clockwise. */
  turn: number;
  onPainted: (() => void) | undefined;
  onBroken: () => void;
}

/** A4 upright, until the page is known. */
const USUAL_RATIO = 1.414;

/** One page: drawn when it comes near the screen, and drawn again when its size changes. */
export function PdfPage({ document, number, width, turn, onPainted, onBroken }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const words = useRef<HTMLDivElement>(null);
  const isNear = useNear(frame);
  const [ratio, setRatio] = useState(USUAL_RATIO);
  useEffect(() => {
    const places = { canvas: canvas.current, words: words.current };
    if (!isNear || !places.canvas || !places.words) return undefined;
    const drawing = new AbortController();
    draw(document, number, { width, turn }, { canvas: places.canvas, words: places.words }, drawing.signal)
      .then((drawnRatio) => {
        if (drawing.signal.aborted) return;
        setRatio(drawnRatio);
        // Two frames later the pixels are on the screen.
        requestAnimationFrame(() => requestAnimationFrame(() => onPainted?.()));
      })
      .catch((error: unknown) => {
        if (!drawing.signal.aborted && !(error instanceof RenderingCancelledException)) onBroken();
      });
    return () => {
      drawing.abort();
    };
  }, [document, number, width, turn, isNear, onPainted, onBroken]);
  return (
    <div className={css.page} ref={frame} style={{ width, height: width * ratio }}>
      <canvas ref={canvas} className={css.canvas} />
      <div ref={words} className={css.words} />
    </div>
  );
}

async function draw(
  document: PDFDocumentProxy,
  number: number,
  { width, turn }: { width: number; turn: number },
  { canvas, words }: { canvas: HTMLCanvasElement; words: HTMLDivElement },
  signal: AbortSignal,
): Promise<number> {
  const page: PDFPageProxy = await document.getPage(number);
  const rotation = (page.rotate + turn) % 360;
  const natural = page.getViewport({ scale: 1, rotation });
  const scale = width / natural.width;
  const density = Math.min(window.devicePixelRatio, 2);
  const viewport = page.getViewport({ scale: scale * density, rotation });
  signal.throwIfAborted();
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const rendering = page.render({ canvas, viewport });
  signal.addEventListener('abort', () => rendering.cancel());
  await rendering.promise;
  const textViewport = page.getViewport({ scale, rotation });
  words.replaceChildren();
  words.style.setProperty('--total-scale-factor', String(scale));
  const layer = new TextLayer({
    textContentSource: await page.getTextContent(),
    container: words,
    viewport: textViewport,
  });
  await layer.render();
  return natural.height / natural.width;
}

/** Whether the element has come near the visible part; it stays so. */
function useNear(element: React.RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setNear(true);
      },
      { rootMargin: '600px' },
    );
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, [element]);
  return isNear;
}

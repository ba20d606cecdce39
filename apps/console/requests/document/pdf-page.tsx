import { type PDFDocumentProxy, type PDFPageProxy, RenderingCancelledException, TextLayer } from 'pdfjs-dist';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTexts } from '../../text/texts';
import css from './document-pane.module.css';
import { markPlaces, type PlacesIn } from './text-marks';

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
  /** No other pane is there in the document's place. */
  isShown: boolean;
  onPainted?: () => void;
  /** It has been on the screen for a moment. */
  onSeen?: (number: number) => void;
  onBroken: () => void;
}

/** A4 upright, until the page is known. */
const USUAL_RATIO = 1.414;

/** One page: drawn when it comes near the screen, and drawn again when its size changes. */
export function PdfPage({ isShown, onSeen, ...props }: Props) {
  const { document, number, width, turn, placesIn, onPainted, onBroken } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const words = useRef<HTMLDivElement>(null);
  const isNear = useNear(frame);
  const [ratio, setRatio] = useState(USUAL_RATIO);
  const [isDrawn, setDrawn] = useState(false);
  useSeen(frame, isDrawn && isShown, () => {
    onSeen?.(number);
  });
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
      else
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            setDrawn(true);
            onPainted?.();
          }),
        );
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

interface ThumbnailsProps {
  document: PDFDocumentProxy;
  count: number;
  turn: number;
  onPage: (number: number) => void;
}

/** Inner width in px; document-pane.module.css has the same. */
const WIDTH_PX = 56;

/** Small pages beside a long document, drawn when they come near. */
export function Thumbnails({ count, ...props }: ThumbnailsProps) {
  const texts = useTexts().requests;
  return (
    <nav className={css.thumbnails} aria-label={texts.thumbnails}>
      {Array.from({ length: count }, (_, index) => (
        <Thumbnail key={index} number={index + 1} {...props} />
      ))}
    </nav>
  );
}

function Thumbnail({ document, number, turn, onPage }: Omit<ThumbnailsProps, 'count'> & { number: number }) {
  const texts = useTexts().requests;
  const frame = useRef<HTMLButtonElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isNear = useNear(frame);
  useEffect(() => {
    if (!isNear || !canvas.current) return undefined;
    const drawing = new AbortController();
    // The large page says when it cannot be drawn.
    drawPage(document, number, { width: WIDTH_PX, turn }, canvas.current, drawing.signal).catch(
      () => undefined,
    );
    return () => {
      drawing.abort();
    };
  }, [document, number, turn, isNear]);
  return (
    <button
      type="button"
      ref={frame}
      className={css.thumbnail}
      aria-label={texts.pageNumber(number)}
      onClick={() => {
        onPage(number);
      }}
    >
      <canvas ref={canvas} />
      {number}
    </button>
  );
}

interface Look {
  /** On the screen, in px. */
  width: number;
  /** Degrees clockwise. */
  turn: number;
}

/** A screen with more pixels per px than this shows no more of a page. */
const MAX_DENSITY = 2;

interface DrawnPage {
  page: PDFPageProxy;
  /** Height over width. */
  ratio: number;
  rotation: number;
  scale: number;
}

/** Draws page `number` (from 1). Rejects when `signal` aborts. */
async function drawPage(
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

/** A page that is turned over faster has not been seen. */
const SEEN_MS = 400;
/** Of the page, or of the window. */
const SEEN_SHARE = 0.5;

/** Calls `onSeen` once half of the element, or of the window, has shown it for a moment. */
function useSeen(element: RefObject<HTMLElement | null>, isOn: boolean, onSeen: () => void): void {
  const seen = useEffectEvent(onSeen);
  useEffect(() => {
    const { current } = element;
    if (!isOn || !current) return undefined;
    let timer: number | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        window.clearTimeout(timer);
        const last = entries.at(-1);
        if (!last) return;
        const { intersectionRatio, intersectionRect, rootBounds } = last;
        const share = intersectionRect.height / (rootBounds?.height ?? window.innerHeight);
        if (Math.max(intersectionRatio, share) >= SEEN_SHARE) timer = window.setTimeout(seen, SEEN_MS);
      },
      { threshold: [0, 0.2, 0.3, 0.4, SEEN_SHARE, 0.6, 1] },
    );
    observer.observe(current);
    return () => {
      window.clearTimeout(timer);
      observer.disconnect();
    };
  }, [element, isOn]);
}

/** Whether the element has come near the visible part; it stays so. */
function useNear(element: RefObject<HTMLElement | null>): boolean {
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

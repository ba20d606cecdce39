import { type PDFDocumentProxy, type PDFPageProxy, RenderingCancelledException, TextLayer } from 'pdfjs-dist';
import { memo, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNear, useOnScreen } from '../../controls/use-visible';
import { useTexts } from '../../text/texts';
import css from './document-pane.module.css';
import { textOfPage } from './pdf';
import { type PagePlaces, PlaceMarks, type WantedPlace } from './place-marks';

interface Props {
  document: PDFDocumentProxy;
  /** From 1. */
  number: number;
  /** On the screen, in px. */
  width: number;
  /** Degrees clockwise. */
  turn: number;
  /** The marked places on it. */
  places: PagePlaces | null;
  /** The place of this page that a person has asked for. */
  wanted: WantedPlace | null;
  /** No other pane is there in the document's place. */
  isShown: boolean;
  onPainted?: () => void;
  /** It has been on the screen for a moment. */
  onSeen?: (number: number) => void;
  onBroken: () => void;
}

/** A4 upright, until the page is known. */
const USUAL_RATIO = 1.414;

/**
 * One page: drawn when it comes near the screen, and drawn again when its size changes. While a long document is read,
 * its pane is rendered with each page of it.
 */
export const PdfPage = memo(function PdfPage({ isShown, onSeen, ...props }: Props) {
  const { document, number, width, turn, places, wanted, onPainted, onBroken } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const words = useRef<HTMLDivElement>(null);
  const isNear = useNear(frame);
  const [shown, setShown] = useState<DrawnPage | null>(null);
  const [isDrawn, setDrawn] = useState(false);
  useOnScreen(frame, isDrawn && isShown, () => {
    onSeen?.(number);
  });
  useEffect(() => {
    const { current: drawn } = canvas;
    const { current: laid } = words;
    if (!isNear || !drawn || !laid) return undefined;
    const drawing = new AbortController();
    const draw = async (): Promise<void> => {
      const { signal } = drawing;
      const page = await drawPage(document, number, { canvas: drawn, width, turn }, signal);
      setShown(page);
      // Two frames later the pixels are on the screen.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (signal.aborted) return;
          setDrawn(true);
          onPainted?.();
        }),
      );
      await layText(page, laid, signal);
    };
    draw().catch((error: unknown) => {
      if (!drawing.signal.aborted && !(error instanceof RenderingCancelledException)) onBroken();
    });
    return () => {
      drawing.abort();
    };
  }, [document, number, width, turn, isNear, onPainted, onBroken]);
  const showPage = useEffectEvent(() => {
    // Once it is drawn, the mark itself is shown.
    if (!shown) frame.current?.scrollIntoView({ block: 'start' });
  });
  useEffect(() => {
    if (wanted) showPage();
  }, [wanted]);
  const height = width * (shown?.ratio ?? USUAL_RATIO);
  return (
    <div className={css.page} data-page={number} ref={frame} style={{ width, height }}>
      <canvas ref={canvas} className={css.canvas} />
      <div ref={words} className={css.words} />
      {shown && <PlaceMarks page={shown.page} rotation={shown.rotation} places={places} wanted={wanted} />}
    </div>
  );
});

let lastLaid: Promise<unknown> = Promise.resolve();

/** The page's text lies over its drawing; of several pages, one is laid after the other. Rejects when `signal` aborts. */
function layText(drawn: DrawnPage, words: HTMLElement, signal: AbortSignal): Promise<void> {
  words.replaceChildren();
  words.style.setProperty('--total-scale-factor', String(drawn.scale));
  const laid = lastLaid.then(() => layParts(drawn, words, signal));
  lastLaid = laid.catch(() => null);
  return laid;
}

/** Laid in one frame: each takes the browser about 0.1 ms. */
const PIECES_PER_PART = 100;

/** The browser arranges each part alone: in one whole, thousands of words would be arranged again in every frame. */
async function layParts(
  { page, rotation, scale }: DrawnPage,
  words: HTMLElement,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const viewport = page.getViewport({ scale, rotation });
  const { items, ...rest } = await textOfPage(page);
  const pieces = withGaps(items);
  for (let at = 0; at < pieces.length; at += PIECES_PER_PART) {
    if (at > 0) await new Promise((go) => requestAnimationFrame(go));
    signal.throwIfAborted();
    const part = document.createElement('div');
    const laid = pieces.slice(at, at + PIECES_PER_PART);
    await new TextLayer({ textContentSource: { ...rest, items: laid }, container: part, viewport }).render();
    const isPlain = part.style.getPropertyValue('--min-font-size') === '1' && laid.every(isUpright);
    part.dataset['plain'] = String(isPlain);
    words.append(part);
  }
}

type TextPiece = Awaited<ReturnType<PDFPageProxy['getTextContent']>>['items'][number];

/** Of the height of its letters. */
const SPACE = 0.28;

/** pdfjs has the gap between two words of a line as a piece, which would double their number: it is added to a word. */
function withGaps(items: readonly TextPiece[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (const item of items) {
    const before = pieces.at(-1);
    const isGap = 'str' in item && item.str === ' ' && !item.hasEOL;
    if (isGap && before && 'str' in before && before.dir === 'ltr' && !before.hasEOL)
      pieces.splice(-1, 1, { ...before, str: `${before.str} `, width: before.width + SPACE * before.height });
    else pieces.push(item);
  }
  return pieces;
}

function isUpright(item: TextPiece): boolean {
  if (!('str' in item)) return false;
  const [across, turned] = item.transform as number[];
  return item.dir === 'ltr' && turned === 0 && across !== undefined && across > 0;
}

interface ThumbnailsProps {
  document: PDFDocumentProxy;
  count: number;
  turn: number;
  /** The first page is drawn, which comes before them. */
  isOn: boolean;
  onPage: (number: number) => void;
}

/** Inner width in px; document-pane.module.css has the same. */
const WIDTH_PX = 56;

const queues = new WeakMap<PDFDocumentProxy, Promise<unknown>>();

/** One after the other: of many together, each would take its part of every frame. */
function afterOthers(document: PDFDocumentProxy, draw: () => Promise<unknown>): void {
  // The large page shows when one cannot be drawn.
  queues.set(
    document,
    (queues.get(document) ?? Promise.resolve()).then(draw).catch(() => null),
  );
}

/** Small pages beside a long document, drawn when they come near. */
export const Thumbnails = memo(function Thumbnails({ count, ...props }: ThumbnailsProps) {
  const texts = useTexts().requests;
  return (
    <nav className={css.thumbnails} aria-label={texts.thumbnails}>
      {Array.from({ length: count }, (_, index) => (
        <Thumbnail key={index} number={index + 1} {...props} />
      ))}
    </nav>
  );
});

type ThumbnailProps = Omit<ThumbnailsProps, 'count'> & { number: number };

function Thumbnail({ document, number, turn, isOn, onPage }: ThumbnailProps) {
  const texts = useTexts().requests;
  const frame = useRef<HTMLButtonElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isNear = useNear(frame);
  useEffect(() => {
    const { current } = canvas;
    if (!isNear || !isOn || !current) return undefined;
    const drawing = new AbortController();
    const { signal } = drawing;
    afterOthers(document, async () => {
      signal.throwIfAborted();
      await drawPage(document, number, { canvas: current, width: WIDTH_PX, turn }, signal);
    });
    return () => {
      drawing.abort();
    };
  }, [document, number, turn, isOn, isNear]);
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
  canvas: HTMLCanvasElement;
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
  { canvas, width, turn }: Look,
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

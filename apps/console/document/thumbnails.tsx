import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useRef } from 'react';
import { useTexts } from '../text/texts';
import css from './document-pane.module.css';
import { drawPage } from './draw-page';
import { useNear } from './use-near';

interface Props {
  document: PDFDocumentProxy;
  count: number;
  turn: number;
  onPage: (number: number) => void;
}

/** Inner width in px; document-pane.module.css has the same. */
const WIDTH_PX = 56;

/** Small pages beside a long document, drawn when they come near. */
export function Thumbnails({ count, ...props }: Props) {
  const texts = useTexts().requests;
  return (
    <nav className={css.thumbnails} aria-label={texts.thumbnails}>
      {Array.from({ length: count }, (_, index) => (
        <Thumbnail key={index} number={index + 1} {...props} />
      ))}
    </nav>
  );
}

function Thumbnail({ document, number, turn, onPage }: Omit<Props, 'count'> & { number: number }) {
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

import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Button } from '../controls/button';
import { EmptyState } from '../controls/empty-state';
import { useKeys } from '../shell/keys';
import { useTexts } from '../text/texts';
import css from './document-pane.module.css';
import { MAX_PAGES } from './pdf';
import { PdfPage } from './pdf-page';
import { type Load, useDocument } from './use-document';

interface Props {
  /** The bytes of the document; null when there is none. Another function is another document. */
  load: Load | null;
  /** Instead of the document: why there is none. */
  missing: string;
  /** The first page stands on the screen. */
  onPainted: () => void;
  /** Its text; empty for a scan. */
  onText: (text: string) => void;
  /** It is no PDF, or one that cannot be drawn. */
  onBroken: () => void;
}

/** The prescription, drawn page by page, with its text over it to select and to hear. */
export function DocumentPane({ load, missing, onPainted, onText, onBroken }: Props) {
  const texts = useTexts().requests;
  const opened = useDocument(load, { onText, onBroken });
  const document = load && typeof opened === 'object' ? opened : null;
  const view = useView();
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  return (
    <section className={css.pane} aria-label={texts.document}>
      <header className={css.head}>
        <h2>{texts.document}</h2>
        {document && <Tools document={document} view={view} />}
      </header>
      <div className={css.scroller} ref={scroller} tabIndex={0} role="region" aria-label={texts.pageRegion}>
        {!load && <EmptyState title={missing} />}
        {load && opened === 'loading' && (
          <div className={css.ghost} role="status" aria-label={texts.blockedLoading} />
        )}
        {load && opened === 'failed' && <EmptyState title={texts.brokenDocument} />}
        {document &&
          width > 0 &&
          Array.from({ length: Math.min(document.numPages, MAX_PAGES) }, (_, index) => (
            <PdfPage
              key={index}
              document={document}
              number={index + 1}
              width={Math.floor(width * view.zoom)}
              turn={view.turn}
              onPainted={index === 0 ? onPainted : undefined}
              onBroken={onBroken}
            />
          ))}
      </div>
    </section>
  );
}

function Tools({ document, view }: { document: PDFDocumentProxy; view: ReturnType<typeof useView> }) {
  const texts = useTexts().requests;
  return (
    <>
      <span className={css.pages}>{texts.pages(document.numPages)}</span>
      <span className={css.tools}>
        <Button kind="quiet" aria-label={texts.zoomOut} onPress={view.zoomOut}>
          −
        </Button>
        <Button kind="quiet" aria-label={texts.zoomIn} onPress={view.zoomIn}>
          +
        </Button>
      </span>
    </>
  );
}

const ZOOM_STEP = 1.25;
const ZOOM = { least: 0.5, most: 5 };

/** Size and direction of the pages, with their keys. */
function useView() {
  const texts = useTexts().requests;
  const [zoom, setZoom] = useState(1);
  const [turn, setTurn] = useState(0);
  const zoomIn = () => {
    setZoom((now) => Math.min(ZOOM.most, now * ZOOM_STEP));
  };
  const zoomOut = () => {
    setZoom((now) => Math.max(ZOOM.least, now / ZOOM_STEP));
  };
  const fit = () => {
    setZoom(1);
  };
  const rotate = () => {
    setTurn((now) => (now + 90) % 360);
  };
  useKeys('page', [
    { keys: '+', does: texts.zoomIn, run: zoomIn },
    { keys: '-', does: texts.zoomOut, run: zoomOut },
    { keys: '0', does: texts.fit, run: fit },
    { keys: 'o', does: texts.rotate, run: rotate },
  ]);
  return { zoom, turn, zoomIn, zoomOut };
}

/** Inner width of an element in px, as it changes. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      setWidth(Math.floor(entry?.contentRect.width ?? 0));
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, [element]);
  return width;
}

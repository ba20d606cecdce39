import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { DocumentKind } from '@offizin/contracts/requests/review';
import { Button } from '../../controls/button';
import { EmptyState } from '../../controls/empty-state';
import { SaveIcon } from '../../controls/icon';
import { useKeyPolicy } from '../../controls/key-policy';
import { useKeys } from '../../keyboard/keys';
import { useTexts } from '../../text/texts';
import css from './document-pane.module.css';
import { useFailureTexts } from './failure-texts';
import { type Failure, failureOf, openPdf, pageCount, readPages } from './pdf';
import { PdfPage, Thumbnails } from './pdf-page';
import type { PagePlaces, WantedPlace } from './place-marks';
import type { PaperPage } from '../paper/page-lines';
import type { ReadPaper } from '../paper/read-paper';

interface Props {
  /** The bytes of the document; null when there is none. Another function is another document. */
  load: Load | null;
  /** Until the document is painted and its text is read. */
  isBusy?: boolean;
  /** Known by the colour of its form, and by the word. */
  kind: DocumentKind | null;
  /** What it is, where it is not a prescription. */
  title?: string | null;
  /** Another document is in its place: this one is read, and has no keys. */
  isAway?: boolean;
  /** No other pane is there in its place. */
  isShown: boolean;
  /** It takes longer than usual. */
  isLate?: boolean;
  /** Instead of the document: why there is none, and what may bring it. */
  missing: string;
  onAgain?: (() => void) | null;
  /** Where the browser can load the file itself. */
  address: string;
  /** Of its request, from 1. */
  number?: number;
  /** The marked places, by page. */
  places?: ReadonlyMap<number, PagePlaces>;
  wanted?: WantedPlace | null;
  onOpened?: (pages: number) => void;
  /** The first page is on the screen. */
  onPainted?: () => void;
  onPageSeen?: (number: number) => void;
  /** With each page that was read. */
  onRead?: (paper: ReadPaper) => void;
  onFailed?: (why: Failure) => void;
}

/** Shorter documents are scrolled. */
const THUMBNAILS_FROM = 3;

/** The prescription, drawn page by page, with its text over it to select and for screen readers. */
export default function DocumentPane(props: Props) {
  const { load, kind, isShown, missing, onAgain, address, onPainted, onPageSeen, onFailed } = props;
  const { title = null, isAway = false, isBusy = false, isLate = false, places, wanted = null } = props;
  const texts = useTexts().requests;
  const failures = useFailureTexts();
  const scroller = useRef<HTMLDivElement>(null);
  const opened = useDocument(load, scroller, props);
  const document = load && typeof opened === 'object' ? opened : null;
  const view = useView(isAway);
  const width = useWidth(scroller);
  const [painted, setPainted] = useState<PDFDocumentProxy | null>(null);
  const onFirst = useCallback(() => {
    setPainted(document);
    onPainted?.();
  }, [document, onPainted]);
  const onPage = useCallback((number: number) => showPage(scroller.current, number), []);
  const onBroken = useCallback(() => {
    onFailed?.('broken');
  }, [onFailed]);
  return (
    <section className={css.pane} aria-label={title ?? texts.document} aria-busy={isBusy} hidden={isAway}>
      <header className={css.head}>
        <h2 data-kind={kind}>
          {title ?? (kind === null || kind === 'other' ? texts.document : texts.kinds[kind])}
        </h2>
        {document && !isAway && (
          <Tools document={document} view={view} address={address} scroller={scroller} />
        )}
      </header>
      <div className={css.below}>
        {document && document.numPages >= THUMBNAILS_FROM && (
          <Thumbnails
            document={document}
            count={pageCount(document)}
            turn={view.turn}
            isOn={painted === document}
            onPage={onPage}
          />
        )}
        <div className={css.scroller} ref={scroller} tabIndex={0} role="region" aria-label={texts.pageRegion}>
          {!load && (
            <EmptyState title={missing}>
              {onAgain && <Button onPress={onAgain}>{texts.fetchAgain}</Button>}
            </EmptyState>
          )}
          {load && opened === 'loading' && (
            <div className={css.ghost} role="status" aria-label={texts.blockedUntilArmed.loading}>
              {isLate && <EmptyState title={failures.late} />}
            </div>
          )}
          {load && (opened === 'broken' || opened === 'locked') && (
            <EmptyState title={failures[opened]}>
              <a href={address} download>
                {texts.saveDocument}
              </a>
            </EmptyState>
          )}
          {document &&
            width > 0 &&
            Array.from({ length: pageCount(document) }, (_, index) => (
              <PdfPage
                key={index}
                document={document}
                number={index + 1}
                width={Math.floor(width * view.zoom)}
                turn={view.turn}
                places={places?.get(index + 1) ?? null}
                wanted={wanted?.page === index + 1 ? wanted : null}
                isShown={isShown}
                onPainted={index === 0 ? onFirst : undefined}
                onSeen={onPageSeen}
                onBroken={onBroken}
              />
            ))}
        </div>
      </div>
    </section>
  );
}

interface ToolsProps {
  document: PDFDocumentProxy;
  view: ReturnType<typeof useView>;
  address: string;
  scroller: RefObject<HTMLDivElement | null>;
}

function Tools({ document, view, address, scroller }: ToolsProps) {
  const texts = useTexts().requests;
  const page = usePageInView(scroller);
  const link = useRef<HTMLAnchorElement>(null);
  const keyPolicy = useKeyPolicy();
  const turnTo = (step: 1 | -1) => {
    showPage(scroller.current, pageInView(scroller.current) + step);
  };
  const turns = [
    { keys: ['[', '('], does: texts.pageBefore, step: -1, sign: '‹' },
    { keys: [']', ')'], does: texts.pageAfter, step: 1, sign: '›' },
  ] as const;
  const saveKeys = 'Shift o';
  const save = { keys: saveKeys, does: texts.saveDocument, run: () => link.current?.click() };
  useKeys('page', [
    // Keyboards differ in where the brackets are, so each has a second key.
    ...turns.flatMap(({ keys, does, step }) =>
      keys.map((key, index) => ({ keys: key, does, hidden: index > 0, run: () => turnTo(step) })),
    ),
    save,
  ]);
  return (
    <>
      <span className={css.pages}>{texts.pageOf(page, document.numPages)}</span>
      <span className={css.tools}>
        {document.numPages > 1 &&
          turns.map(({ keys: [key], does, step, sign }) => (
            <Button
              key={key}
              kind="quiet"
              aria-label={does}
              aria-keyshortcuts={key}
              onPress={() => {
                turnTo(step);
              }}
            >
              {sign}
            </Button>
          ))}
        <Button kind="quiet" aria-label={texts.zoomOut} aria-keyshortcuts="-" onPress={view.zoomOut}>
          −
        </Button>
        <Button kind="quiet" aria-label={texts.zoomIn} aria-keyshortcuts="+" onPress={view.zoomIn}>
          +
        </Button>
        <a
          ref={link}
          className={css.save}
          href={address}
          download
          aria-label={texts.saveDocument}
          title={keyPolicy === 'off' ? texts.saveDocument : `${texts.saveDocument} (${saveKeys})`}
          {...(keyPolicy === 'off' ? {} : { 'aria-keyshortcuts': 'Shift+O' })}
        >
          <SaveIcon />
        </a>
      </span>
    </>
  );
}

/** From 1; the page at the top of the visible part. */
function pageInView(scroller: HTMLElement | null): number {
  if (!scroller) return 1;
  const { top } = scroller.getBoundingClientRect();
  const pages = [...scroller.querySelectorAll('[data-page]')];
  const below = pages.findIndex((page) => page.getBoundingClientRect().bottom > top + 1);
  return below + 1;
}

/** As the person scrolls. */
function usePageInView(scroller: RefObject<HTMLElement | null>): number {
  const [page, setPage] = useState(1);
  useEffect(() => {
    const { current } = scroller;
    const scrolled = () => {
      setPage(Math.max(1, pageInView(current)));
    };
    current?.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      current?.removeEventListener('scroll', scrolled);
    };
  }, [scroller]);
  return page;
}

function showPage(scroller: HTMLElement | null, number: number): void {
  scroller?.querySelector(`[data-page="${number}"]`)?.scrollIntoView({ block: 'start' });
}

const ZOOM_STEP = 1.25;
const ZOOM = { least: 0.5, most: 5 };

/** Size and direction of the pages, with their keys. */
function useView(isAway: boolean) {
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
  const keys = [
    { keys: '+', does: texts.zoomIn, run: zoomIn },
    { keys: '-', does: texts.zoomOut, run: zoomOut },
    { keys: '0', does: texts.fit, run: fit },
    { keys: 'o', does: texts.rotate, run: rotate },
  ];
  useKeys('page', isAway ? [] : keys);
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

type Load = () => Promise<ArrayBuffer>;

type Opened = 'loading' | Failure | PDFDocumentProxy;

/** Loads, opens and reads a document, the page in sight first; another `load` is another document. */
function useDocument(
  load: Load | null,
  scroller: RefObject<HTMLElement | null>,
  { number = 1, onOpened, onRead, onFailed }: Pick<Props, 'number' | 'onOpened' | 'onRead' | 'onFailed'>,
): Opened {
  const [latest, setLatest] = useState<{ load: Load | null; opened: Opened }>({ load, opened: 'loading' });
  useEffect(() => {
    if (!load) return undefined;
    const closed = new AbortController();
    const open = async (): Promise<void> => {
      const document = await openPdf(await load());
      const close = () => void document.loadingTask.destroy();
      closed.signal.addEventListener('abort', close);
      if (closed.signal.aborted) {
        close();
        return;
      }
      setLatest({ load, opened: document });
      onOpened?.(document.numPages);
      if (!onRead) return;
      const [count, inSight] = [pageCount(document), () => pageInView(scroller.current)];
      let pages: readonly PaperPage[] = [];
      for await (const page of readPages(document, { number, inSight, signal: closed.signal })) {
        pages = [...pages, page].sort((one, other) => one.number - other.number);
        onRead({ number, pages, count, document });
      }
    };
    open().catch((error: unknown) => {
      if (closed.signal.aborted) return;
      const why = failureOf(error);
      setLatest({ load, opened: why });
      onFailed?.(why);
    });
    return () => {
      closed.abort();
    };
  }, [load, scroller, number, onOpened, onRead, onFailed]);
  return latest.load === load ? latest.opened : 'loading';
}

import * as pdfjs from 'pdfjs-dist';
import type { PaperPage } from '../paper/page-lines';
import { pageOf, type RawPage } from '../paper/read-page';
import { turns } from '../paper/turns';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

/** Reads PDFs in one worker that lives as long as the page: a worker for each document costs a quarter of a second. */

/** vite.config.mjs copies the fonts and the image decoders of pdfjs there. */
const DATA_URL = `/console/assets/pdf-${pdfjs.version}/`;
/** Larger pictures are left out, so that a hostile document cannot take the memory. */
const MAX_IMAGE_PIXELS = 40_000_000;
/** A prescription has one or two. */
const MAX_PAGES = 50;

/** Pages that are drawn and read. */
export function pageCount({ numPages }: pdfjs.PDFDocumentProxy): number {
  return Math.min(numPages, MAX_PAGES);
}

/** It cannot be read or drawn, or it needs a password. */
export type Failure = 'broken' | 'locked';

export function failureOf(error: unknown): Failure {
  return error instanceof Error && error.name === 'PasswordException' ? 'locked' : 'broken';
}

let worker: pdfjs.PDFWorker | null = null;

/** The document, or a rejection when the bytes are none. The worker takes a copy. */
export async function openPdf(bytes: ArrayBuffer): Promise<pdfjs.PDFDocumentProxy> {
  worker ??= pdfjs.PDFWorker.create({ port: startWorker() });
  const task = pdfjs.getDocument({
    data: new Uint8Array(bytes.slice(0)),
    worker,
    standardFontDataUrl: DATA_URL,
    wasmUrl: DATA_URL,
    maxImageSize: MAX_IMAGE_PIXELS,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
  });
  return task.promise;
}

type PageText = ReturnType<pdfjs.PDFPageProxy['getTextContent']>;

const texts = new WeakMap<pdfjs.PDFPageProxy, PageText>();

/** Asked for once: it is searched, and laid over the page. */
export function textOfPage(page: pdfjs.PDFPageProxy): PageText {
  const text = texts.get(page) ?? page.getTextContent();
  texts.set(page, text);
  return text;
}

interface Reading {
  /** Of the document in its request, from 1. */
  number: number;
  /** The page on the screen; it is read next. */
  inSight: () => number;
  signal: AbortSignal;
}

/** Its pages with the places of their words, one after the other. Rejects when `signal` aborts. */
export async function* readPages(
  document: pdfjs.PDFDocumentProxy,
  { number, inSight, signal }: Reading,
): AsyncGenerator<PaperPage> {
  const left = new Set(Array.from({ length: pageCount(document) }, (_, index) => index + 1));
  while (left.size > 0) {
    const [next = 1] = left;
    const shown = inSight();
    const at = left.has(shown) ? shown : next;
    left.delete(at);
    const raw = await readPage(document, at);
    signal.throwIfAborted();
    const rest = turns(signal);
    const page = await pageOf(number, raw, pdfjs.OPS, rest);
    await rest();
    yield page;
  }
}

/** Of a longer document, what drew a page and its text are not kept: of 5,000 words they take megabytes. */
const KEPT_PAGES = 4;

async function readPage(document: pdfjs.PDFDocumentProxy, number: number): Promise<RawPage> {
  const page = await document.getPage(number);
  const viewport = page.getViewport({ scale: 1 });
  const [{ items }, annotations] = await Promise.all([textOfPage(page), page.getAnnotations()]);
  // A page without text and annotations is a picture, whatever it draws.
  const hasText = items.length + annotations.length > 0;
  const operators = hasText ? await page.getOperatorList() : { fnArray: [], argsArray: [] };
  if (document.numPages > KEPT_PAGES) {
    texts.delete(page);
    page.cleanup();
  }
  return { number, viewport, items, annotations, operators };
}

function startWorker(): Worker {
  // The page's policy accepts scripts by address from this policy only, and it passes this address only.
  const policy = trustedTypes()?.createPolicy('pdf-worker', {
    createScriptURL: (url) => {
      if (url !== workerUrl) throw new TypeError('not the address of the worker');
      return url;
    },
  });
  return new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
}

interface ScriptUrlPolicy {
  /** The browser wraps the text; a Worker takes both. */
  createScriptURL: (url: string) => string;
}

interface TrustedTypes {
  createPolicy: (name: string, rules: ScriptUrlPolicy) => ScriptUrlPolicy;
}

/** Not every browser has Trusted Types. */
function trustedTypes(): TrustedTypes | null {
  return 'trustedTypes' in window ? (window.trustedTypes as TrustedTypes) : null;
}

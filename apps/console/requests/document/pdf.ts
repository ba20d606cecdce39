import * as pdfjs from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

/** Reads PDFs in one worker that lives as long as the page: a worker for each document costs a quarter of a second. */

/** vite.config.mjs copies the fonts and the image decoders of pdfjs there. */
const DATA_URL = `/console/assets/pdf-${pdfjs.version}/`;
/** Larger pictures are left out, so that a hostile document cannot take the memory. */
const MAX_IMAGE_PIXELS = 40_000_000;
/** Pages that are drawn; a prescription has one or two. */
export const MAX_PAGES = 50;

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

/** The text of the first pages in reading order, with a form feed between them; empty for a scan. */
export async function textOf(document: pdfjs.PDFDocumentProxy): Promise<string> {
  const numbers = Array.from({ length: Math.min(document.numPages, MAX_PAGES) }, (_, index) => index + 1);
  const pages = await Promise.all(
    numbers.map(async (number) => {
      const { items } = await (await document.getPage(number)).getTextContent();
      return items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : ' ') : '')).join('');
    }),
  );
  return pages.join('\f');
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

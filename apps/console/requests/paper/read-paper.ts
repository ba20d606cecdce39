import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { PaperPage } from './page-lines';

/** One document, as far as it was read: what it says, and what draws it. */
export interface ReadPaper {
  /** Of the request, from 1. */
  number: number;
  /** In the order of the paper. */
  pages: readonly PaperPage[];
  /** Pages that it will have once all are read. */
  count: number;
  document: PDFDocumentProxy;
}

export function isWhole({ pages, count }: Pick<ReadPaper, 'pages' | 'count'>): boolean {
  return pages.length >= count;
}

/** More is not searched for kind and telephone. */
const MOST_TEXT = 50_000;

/** Its first words, line by line, with a form feed between pages. */
export function textOf({ pages }: Pick<ReadPaper, 'pages'>): string {
  let text = '';
  for (const { lines } of pages) {
    text += `${lines.map((line) => line.text).join('\n')}\f`;
    if (text.length > MOST_TEXT) break;
  }
  return text;
}

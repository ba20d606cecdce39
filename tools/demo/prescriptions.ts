import { electronicPrintout } from './electronic-prescription';
import { signed, tampered } from './pdf-signing';
import { type PdfPage, writePdf } from './pdf-writer';
import type { Prescription } from './prescription-content';
import { privateForm } from './private-prescription';
import { Random } from './random';
import { scanPicture } from './scan-picture';
import { threePages } from './three-page-prescription';

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

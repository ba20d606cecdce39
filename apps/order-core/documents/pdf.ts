import { createHash } from 'node:crypto';
import { MAX_PDF_BYTES } from '@offizin/contracts/order-requests';

const DATA_URL_PREFIX = 'data:application/pdf;base64,';
const PDF_HEADER = Buffer.from('%PDF-');

export type DecodedPdf = { ok: true; bytes: Buffer } | { ok: false; message: string; tooLarge?: boolean };

/**
 * Decodes a PDF from base64. Strict: the bytes must encode back to the same text. A regular expression would cost far
 * more than the decoding.
 */
export function decodePdf(text: string): DecodedPdf {
  const base64 = text.startsWith(DATA_URL_PREFIX) ? text.slice(DATA_URL_PREFIX.length) : text;
  if (base64.length > Math.ceil(MAX_PDF_BYTES / 3) * 4) {
    return { ok: false, message: `is larger than ${MAX_PDF_BYTES} bytes`, tooLarge: true };
  }
  const bytes = Buffer.from(base64, 'base64');
  if (!isEncodingOf(base64, bytes)) return { ok: false, message: 'is not valid base64' };
  return checkPdf(bytes);
}

/** Bytes compared per step; a multiple of three, so that each step ends on a whole character. */
const STRETCH_BYTES = 48 * 1024;

/** Compares in steps to avoid a second copy of the whole text. */
function isEncodingOf(base64: string, bytes: Buffer): boolean {
  if (bytes.length === 0 || base64.length !== Math.ceil(bytes.length / 3) * 4) return false;
  for (let at = 0; at < bytes.length; at += STRETCH_BYTES) {
    const stretch = bytes.toString('base64', at, at + STRETCH_BYTES);
    if (!base64.startsWith(stretch, (at / 3) * 4)) return false;
  }
  return true;
}

export function checkPdf(bytes: Buffer): DecodedPdf {
  if (bytes.length > MAX_PDF_BYTES) {
    return { ok: false, message: `is larger than ${MAX_PDF_BYTES} bytes`, tooLarge: true };
  }
  if (!bytes.subarray(0, PDF_HEADER.length).equals(PDF_HEADER)) return { ok: false, message: 'is not a PDF' };
  return { ok: true, bytes };
}

export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

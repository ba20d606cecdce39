import { createHash } from 'node:crypto';
import type { HandedInDocument } from '@offizin/contracts/calls/operation';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/order-requests';
import { freeableBytes, freeNow } from '@offizin/http-body/body-buffers';
import { bufferOver, SMALL_BYTES } from '@offizin/http-body/body-pieces';

const DATA_URL_PREFIX = Buffer.from('data:application/pdf;base64,');
const PDF_HEADER = Buffer.from('%PDF-');

type Refusal = Extract<HandedInDocument, { ok: false }>;

const TOO_LARGE: Refusal = { ok: false, message: `is larger than ${MAX_PDF_BYTES} bytes`, tooLarge: true };
const NOT_BASE64: Refusal = { ok: false, message: 'is not valid base64' };

/** Decodes a PDF from base64, as text or as the bytes of the text. Strict: the bytes must encode back to the same text. */
export function decodePdf(text: string | Buffer): HandedInDocument {
  // In UTF-8 a character outside ASCII never looks like one of base64.
  const sent = typeof text === 'string' ? Buffer.from(text) : text;
  const isDataUrl = sent.subarray(0, DATA_URL_PREFIX.length).equals(DATA_URL_PREFIX);
  const prefixLength = isDataUrl ? DATA_URL_PREFIX.length : 0;
  if (text.length - prefixLength > Math.ceil(MAX_PDF_BYTES / 3) * 4) return TOO_LARGE;
  const decoded = decodeBase64(sent.subarray(prefixLength));
  if (!decoded) return NOT_BASE64;
  const { bytes, sha256 } = decoded;
  // The bytes determine the text, so the text need not be hashed, too.
  const textDigest = `${isDataUrl ? 'data:' : ''}${sha256.toString('hex')}`;
  return refusalOf(bytes) ?? { ok: true, bytes, sha256, textDigest };
}

/** A multiple of four, so that each step ends on a whole byte. */
const STEP_CHARACTERS = 64 * 1024;
const STEP_BYTES = (STEP_CHARACTERS / 4) * 3;

/**
 * Null unless the text is exactly the encoding of its bytes. In steps that fit the processor's cache, each decoded,
 * encoded back and hashed at once: the text of a large document never exists as a string. A regular expression would
 * cost far more.
 */
function decodeBase64(text: Buffer): { bytes: Buffer; sha256: Buffer } | null {
  if (text.length === 0 || text.length % 4 !== 0) return null;
  const padding = text[text.length - 1] !== EQUALS ? 0 : text[text.length - 2] !== EQUALS ? 1 : 2;
  const length = (text.length / 4) * 3 - padding;
  const bytes = length > SMALL_BYTES ? bufferOver(freeableBytes(length)) : Buffer.allocUnsafe(length);
  const hash = createHash('sha256');
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = Math.min(at + STEP_BYTES, bytes.length);
    const textAt = (at / 3) * 4;
    const step = text.toString('latin1', textAt, textAt + STEP_CHARACTERS);
    bytes.write(step, at, end - at, 'base64');
    if (bytes.toString('base64', at, end) !== step) {
      freeNow(bytes.buffer);
      return null;
    }
    hash.update(bytes.subarray(at, end));
  }
  return { bytes, sha256: hash.digest() };
}

const EQUALS = 0x3d;

/** Checks a PDF that was not encoded. */
export function checkPdf(bytes: Buffer): { ok: true; bytes: Buffer; sha256: Buffer } | Refusal {
  return refusalOf(bytes) ?? { ok: true, bytes, sha256: createHash('sha256').update(bytes).digest() };
}

function refusalOf(bytes: Buffer): Refusal | null {
  if (bytes.length > MAX_PDF_BYTES) return TOO_LARGE;
  const isPdf = bytes.subarray(0, PDF_HEADER.length).equals(PDF_HEADER);
  return isPdf ? null : { ok: false, message: 'is not a PDF' };
}

/** Syntax only: the egress guard checks the destination when it fetches. */
export function isHttpsWithoutCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '';
}

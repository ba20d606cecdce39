import { createHash } from 'node:crypto';
import type { HandedInDocument } from '@offizin/contracts/calls/operation';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/request-documents';
import { freeableBytes, freeNow } from '@offizin/http-body/body-buffers';
import { bufferOver, SMALL_BYTES } from '@offizin/http-body/body-pieces';

const DATA_URL_PREFIX = Buffer.from('data:application/pdf;base64,');
const PDF_HEADER = Buffer.from('%PDF-');
/** Readers of PDFs look for the header in these bytes. */
const HEADER_WITHIN_BYTES = 1_024;
const MAX_CHARACTERS = Math.ceil(MAX_PDF_BYTES / 3) * 4;

type Refusal = Extract<HandedInDocument, { ok: false }>;

const TOO_LARGE: Refusal = { ok: false, message: `is larger than ${MAX_PDF_BYTES} bytes`, tooLarge: true };

/** Decodes a PDF from Base64 in any of its usual forms; only white space is skipped. */
export function decodePdf(text: string): HandedInDocument {
  const sent = Buffer.from(text);
  return decodePlainPdf(sent) ?? decodeOtherForm(sent);
}

/** Null unless it is the standard alphabet without white space, which holds no character that JSON escapes. */
export function decodePlainPdf(sent: Buffer): HandedInDocument | null {
  const isDataUrl = sent.subarray(0, DATA_URL_PREFIX.length).equals(DATA_URL_PREFIX);
  const decoded = decodeBase64(isDataUrl ? sent.subarray(DATA_URL_PREFIX.length) : sent);
  return decoded && (refusalOf(decoded.bytes) ?? { ok: true, ...decoded });
}

/** Rewrites the text in place as plain Base64. */
function decodeOtherForm(text: Buffer): HandedInDocument {
  let [length, padding, lastAt] = [0, 0, 0];
  let isUrlSafe: boolean | null = null;
  for (let at = prefixLength(text); at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    const plain = PLAIN[byte];
    if (plain === SPACE) continue;
    if (plain === EQUALS && (length + padding) % 4 >= 2) {
      padding += 1;
      continue;
    }
    if (!plain || plain === EQUALS || padding > 0) return wrongAt(at);
    if (plain === PLUS || plain === SLASH) {
      isUrlSafe ??= byte !== plain;
      if (isUrlSafe !== (byte !== plain)) return wrongAt(at);
    }
    text[length] = plain;
    length += 1;
    lastAt = at;
  }
  if (length > MAX_CHARACTERS) return TOO_LARGE;
  if (length % 4 === 1 || (padding > 0 && (length + padding) % 4 !== 0)) return wrongAt(text.length);
  const decoded = decodeBase64(text.subarray(0, length));
  if (decoded) return refusalOf(decoded.bytes) ?? { ok: true, ...decoded };
  // Empty, or with bits behind the last byte.
  return wrongAt(length === 0 ? text.length : lastAt);
}

const PREFIX = /^data:(?:application\/(?:pdf|x-pdf|octet-stream))?(?:;[!-+\--:<-~]*)*;base64,$/i;
const MAX_PREFIX_CHARACTERS = 1_024;

/** 0 without a prefix; its colon is then the first wrong character. */
function prefixLength(text: Buffer): number {
  const length = text.subarray(0, MAX_PREFIX_CHARACTERS).indexOf(',') + 1;
  const prefix = text.toString('latin1', 0, length).replace(/[\t\n\f\r ]+/g, '');
  return PREFIX.test(prefix) ? length : 0;
}

function wrongAt(index: number): Refusal {
  const message =
    `is wrong at character ${index + 1}: it takes Base64 in one alphabet (+ and /, or - and _), padded with = or not, ` +
    'with white space anywhere, after no prefix or data:<type>;base64, with the type application/pdf, ' +
    'application/x-pdf, application/octet-stream or none';
  return { ok: false, message };
}

const [PLUS, SLASH, EQUALS, SPACE] = [0x2b, 0x2f, 0x3d, 0x20];

/** What the standard alphabet has for each byte; 0 for a byte that is not taken. */
const PLAIN = new Uint8Array(256);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='))
  PLAIN[byte] = byte;
for (const byte of Buffer.from('\t\n\f\r ')) PLAIN[byte] = SPACE;
[PLAIN[0x2d], PLAIN[0x5f]] = [PLUS, SLASH];

/** A multiple of four, so that each step ends on a whole byte. */
const STEP_CHARACTERS = 64 * 1024;
const STEP_BYTES = (STEP_CHARACTERS / 4) * 3;

/**
 * Null unless the text is exactly the encoding of its bytes, padded or not. In steps that fit the processor's cache,
 * each wholly decoded, encoded back and hashed: the text of a large document never exists as a string. A regular
 * expression would cost far more.
 */
function decodeBase64(text: Buffer): { bytes: Buffer; sha256: Buffer } | null {
  const padding = text[text.length - 1] !== EQUALS ? 0 : text[text.length - 2] !== EQUALS ? 1 : 2;
  const isWhole = padding > 0 ? text.length % 4 === 0 : text.length % 4 !== 1;
  if (text.length === 0 || text.length > MAX_CHARACTERS || !isWhole) return null;
  const length = Math.floor(((text.length - padding) * 3) / 4);
  const bytes = length > SMALL_BYTES ? bufferOver(freeableBytes(length)) : Buffer.allocUnsafe(length);
  const hash = createHash('sha256');
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = Math.min(at + STEP_BYTES, bytes.length);
    const textAt = (at / 3) * 4;
    const step = text.toString('latin1', textAt, textAt + STEP_CHARACTERS);
    bytes.write(step, at, end - at, 'base64');
    if (bytes.toString('base64', at, end) !== step.padEnd(Math.ceil(step.length / 4) * 4, '=')) {
      freeNow(bytes.buffer);
      return null;
    }
    hash.update(bytes.subarray(at, end));
  }
  return { bytes, sha256: hash.digest() };
}

/** Checks a PDF that was not encoded. */
export function checkPdf(bytes: Buffer): { ok: true; bytes: Buffer; sha256: Buffer } | Refusal {
  return refusalOf(bytes) ?? { ok: true, bytes, sha256: createHash('sha256').update(bytes).digest() };
}

function refusalOf(bytes: Buffer): Refusal | null {
  if (bytes.length > MAX_PDF_BYTES) return TOO_LARGE;
  const isPdf = bytes.subarray(0, HEADER_WITHIN_BYTES).includes(PDF_HEADER);
  return isPdf ? null : { ok: false, message: 'is not a PDF' };
}

export function isHttpsWithoutCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '';
}

import type { DocumentEntity } from '../../db/entities';

/**
 * Detects an embedded digital signature and whether its byte range covers the whole file. Nothing is verified: the
 * result is a technical hint for staff, never a statement of legal validity.
 *
 * A signature dictionary contains `/ByteRange [a b c d]`: `a` bytes from the start and `d` bytes from `c` are signed.
 * The gap between them holds the signature, `/Contents <hex>`. Source: ISO 32000-1, 12.8.1.
 */
export type PdfSignature = NonNullable<DocumentEntity['signature']>;

const BYTE_RANGE = Buffer.from('/ByteRange');
const CONTENTS = Buffer.from('/Contents');
/** A document with many signatures has tens. */
const MAX_SIGNATURES = 1_000;
const MAX_ARRAY_BYTES = 128;
const RANGE = /^\s*\[\s*(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s*\]/;

/**
 * `present`: at least one signature covers the whole file. `altered`: the file has signatures but none covers it, for
 * example because data was appended after signing. Linear in the size of the file.
 */
export function signatureOf(pdf: Buffer): PdfSignature {
  const gaps = new Set<number>();
  let found = 0;
  for (let at = pdf.indexOf(BYTE_RANGE); at >= 0; at = pdf.indexOf(BYTE_RANGE, at + BYTE_RANGE.length)) {
    found += 1;
    if (found > MAX_SIGNATURES) return 'altered';
    const start = at + BYTE_RANGE.length;
    const range = RANGE.exec(pdf.toString('latin1', start, start + MAX_ARRAY_BYTES));
    if (!range) continue;
    const [signedFrom, gapStart, gapEnd, restLength] = range.slice(1).map(Number);
    if (signedFrom !== 0 || gapStart === undefined || gapEnd === undefined || restLength === undefined)
      continue;
    if (gapEnd + restLength !== pdf.length || gaps.has(gapStart)) continue;
    // Each gap is checked once; of two overlapping gaps each ends at the first byte that is not a hex digit.
    gaps.add(gapStart);
    if (isSignatureValue(pdf, gapStart, gapEnd)) return 'present';
  }
  return found === 0 ? 'none' : 'altered';
}

/** True when `start` to `end` is exactly the non-empty hex string of a `/Contents`. */
function isSignatureValue(pdf: Buffer, start: number, end: number): boolean {
  if (end - start < 3 || pdf[start] !== LESS_THAN || pdf[end - 1] !== GREATER_THAN) return false;
  let before = start;
  while (before > 0 && start - before < 16 && isWhitespace(pdf[before - 1])) before -= 1;
  if (!pdf.subarray(Math.max(0, before - CONTENTS.length), before).equals(CONTENTS)) return false;
  let filled = false;
  for (let at = start + 1; at < end - 1; at += 1) {
    const byte = pdf[at] ?? 0;
    if (isHexDigit(byte)) filled ||= byte !== ZERO;
    else if (!isWhitespace(byte)) return false;
  }
  return filled;
}

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const ZERO = 0x30;

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c || byte === 0;
}

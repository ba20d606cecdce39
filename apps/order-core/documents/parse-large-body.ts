import { createHash } from 'node:crypto';
import type { HandedInDocument } from '@offizin/contracts/operation';
import { parseStrictJson } from '@offizin/operations/strict-json';
import { decodePdf } from './pdf';

/** A body without its document: the remaining JSON as text, which is small and cheap to transfer, and the document. */
export interface ParsedLargeBody {
  json: string;
  document: HandedInDocument | null;
  sha256: Uint8Array;
}

/** Longer text cannot be an address, so it is a document. Shorter values stay in the body. */
const MAX_ADDRESS_LENGTH = 2_048;

/** Parses strictly and extracts the base64 text at `field`. Throws `Refused` as parsing does. */
export function parseLargeBody(
  body: Uint8Array,
  field: readonly string[],
  maxValues?: number,
): ParsedLargeBody {
  const value = parseStrictJson(body, maxValues);
  const text = takeOut(value, field);
  return {
    json: JSON.stringify(value),
    document: text === null ? null : { textSha256: sha256Hex(text), ...decodePdf(text) },
    sha256: createHash('sha256').update(body).digest(),
  };
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Removes the text from `value` and returns it; null when it is missing or may be an address. */
function takeOut(value: unknown, [name, ...rest]: readonly string[]): string | null {
  if (name === undefined || typeof value !== 'object' || value === null) return null;
  const inner: unknown = Reflect.get(value, name);
  if (rest.length > 0) return takeOut(inner, rest);
  if (typeof inner !== 'string' || inner.length <= MAX_ADDRESS_LENGTH) return null;
  Reflect.deleteProperty(value, name);
  return inner;
}

import { randomUUID } from 'node:crypto';
import { Refused } from '@offizin/contracts/calls/errors';
import type { HandedInDocument } from '@offizin/contracts/calls/operation';
import { parseStrictJson } from '@offizin/operations/strict-json';
import { decodePdf, decodePlainPdf } from './pdf';

/** A body without its document: the remaining JSON as text, which is small and cheap to transfer, and the document. */
export interface ParsedLargeBody {
  json: string;
  document: HandedInDocument | null;
}

/** Longer text cannot be an address, so it is a document. Shorter values stay in the body. */
const MAX_ADDRESS_LENGTH = 2_048;

/** Parses strictly and extracts the base64 text at `field`. Throws `Refused` as parsing does. */
export function parseLargeBody(body: Buffer, field: readonly string[], maxValues?: number): ParsedLargeBody {
  return cutOut(body, field, maxValues) ?? parseWhole(body, field, maxValues);
}

/**
 * Finds a valid document in the bytes and parses only the rest, which costs a fifth of parsing the body with its
 * document. Null when anything is unusual; the whole body is then parsed.
 *
 * The text that is cut out is plain Base64, so it holds no quote, backslash or invalid UTF-8: with a stand-in in its place the
 * body has the same structure. The stand-in is random, so it is the value at `field` only if the text was.
 */
export function cutOut(body: Buffer, field: readonly string[], maxValues?: number): ParsedLargeBody | null {
  const place = findText(body, field.at(-1) ?? '');
  if (!place || place.end - place.start <= MAX_ADDRESS_LENGTH) return null;
  const [before, after] = [body.subarray(0, place.start), body.subarray(place.end)];
  const standIn = randomUUID();
  const rest = parsed(Buffer.concat([before, Buffer.from(standIn), after]), maxValues);
  if (rest === null || takeOut(rest, field, standIn.length) !== standIn) return null;
  const document = decodePlainPdf(body.subarray(place.start, place.end));
  if (!document?.ok) return null;
  return { json: JSON.stringify(rest), document };
}

/** The text after the first key of this name, as `start` and `end` between its quotes. */
function findText(body: Buffer, name: string): { start: number; end: number } | null {
  const key = JSON.stringify(name);
  const keyAt = body.indexOf(key);
  if (keyAt < 0) return null;
  const colon = afterSpace(body, keyAt + Buffer.byteLength(key));
  const quote = afterSpace(body, colon + 1);
  if (body[colon] !== COLON || body[quote] !== QUOTE) return null;
  const end = body.indexOf(QUOTE, quote + 1);
  return end < 0 ? null : { start: quote + 1, end };
}

const QUOTE = 0x22;
const COLON = 0x3a;
const JSON_SPACES: readonly (number | undefined)[] = [0x20, 0x0a, 0x0d, 0x09];

function afterSpace(body: Buffer, start: number): number {
  let at = start;
  while (JSON_SPACES.includes(body[at])) at += 1;
  return at;
}

/** Null where parsing refuses: the refusal is that of the whole body. */
function parsed(body: Buffer, maxValues?: number): unknown {
  try {
    return parseStrictJson(body, maxValues);
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

export function parseWhole(body: Buffer, field: readonly string[], maxValues?: number): ParsedLargeBody {
  const value = parseStrictJson(body, maxValues);
  const text = takeOut(value, field, MAX_ADDRESS_LENGTH + 1);
  return { json: JSON.stringify(value), document: text === null ? null : decodePdf(text) };
}

/** Removes the text from `value` and returns it; null when it is missing or shorter. */
function takeOut(value: unknown, [name, ...rest]: readonly string[], minLength: number): string | null {
  if (name === undefined || typeof value !== 'object' || value === null) return null;
  const inner: unknown = Reflect.get(value, name);
  if (rest.length > 0) return takeOut(inner, rest, minLength);
  if (typeof inner !== 'string' || inner.length < minLength) return null;
  Reflect.deleteProperty(value, name);
  return inner;
}

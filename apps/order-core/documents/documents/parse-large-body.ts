import { randomUUID } from 'node:crypto';
import { Refused } from '@offizin/contracts/calls/errors';
import type { DocumentFields, HandedInDocument, HandedInDocuments } from '@offizin/contracts/calls/operation';
import { parseStrictJson } from '@offizin/operations/strict-json';
import { decodePdf, decodePlainPdf } from './pdf';

/** A body without its documents: the remaining JSON as text, which is small and cheap to transfer, and the documents. */
export interface ParsedLargeBody {
  json: string;
  documents: HandedInDocuments;
}

/** Longer text cannot be an address, so it is a document. Shorter values stay in the body. */
const MAX_ADDRESS_LENGTH = 2_048;
/** A body with more keys of one name is parsed as a whole. */
const MAX_KEYS = 64;

/** Parses strictly and extracts the base64 texts at `fields`. Throws `Refused` as parsing does. */
export function parseLargeBody(body: Buffer, fields: DocumentFields, maxValues?: number): ParsedLargeBody {
  return cutOut(body, fields, maxValues) ?? parseWhole(body, fields, maxValues);
}

/**
 * Finds valid documents in the bytes and parses only the rest, which costs a fifth of parsing the body with its
 * documents. Null when anything is unusual; the whole body is then parsed.
 *
 * A text that is cut out is plain Base64, so it holds no quote, backslash or invalid UTF-8: with a stand-in in its place
 * the body has the same structure. The stand-in is random, so it is the value at a field only if the text was.
 */
export function cutOut(body: Buffer, fields: DocumentFields, maxValues?: number): ParsedLargeBody | null {
  const places = findTexts(body, fields);
  if (places.length === 0) return null;
  const standIns = places.map(() => randomUUID());
  const rest = parsed(withStandIns(body, places, standIns), maxValues);
  if (rest === null) return null;
  const texts = takeOut(rest, fields, (text) => isDocument(text) || standIns.some((one) => one === text));
  if (texts.size !== places.length) return null;
  const documents = new Map<string, HandedInDocument>();
  for (const [field, text] of texts) {
    const place = places[standIns.findIndex((one) => one === text)];
    const document = place && decodePlainPdf(body.subarray(place.start, place.end));
    if (!document?.ok) return null;
    documents.set(field, document);
  }
  return { json: JSON.stringify(rest), documents };
}

/** Between the quotes of a text. */
interface Place {
  start: number;
  end: number;
}

/** The long texts after keys of the fields' names, in their order. A text holds no quote, so no key is searched in it. */
function findTexts(body: Buffer, fields: DocumentFields): Place[] {
  const places: Place[] = [];
  for (const name of new Set(fields.map((field) => field.at(-1) ?? ''))) {
    const starts = [0, ...places.map(({ end }) => end)];
    const gaps = starts.map((start, index) => ({ start, end: places[index]?.start ?? body.length }));
    for (const gap of gaps) places.push(...textsAfter(body, JSON.stringify(name), gap));
    places.sort((a, b) => a.start - b.start);
  }
  return places;
}

function textsAfter(body: Buffer, key: string, { start, end }: Place): Place[] {
  const places: Place[] = [];
  const within = body.subarray(start, end);
  let keyAt = within.indexOf(key);
  for (let keys = 0; keyAt >= 0 && keys < MAX_KEYS; keys += 1) {
    const keyEnd = start + keyAt + Buffer.byteLength(key);
    const place = textAt(body, keyEnd);
    if (place && place.end - place.start > MAX_ADDRESS_LENGTH) places.push(place);
    keyAt = within.indexOf(key, (place?.end ?? keyEnd) - start);
  }
  return places;
}

/** The text that is the value of a key which ends at `keyEnd`. */
function textAt(body: Buffer, keyEnd: number): Place | null {
  const colon = afterSpace(body, keyEnd);
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

function withStandIns(body: Buffer, places: readonly Place[], standIns: readonly string[]): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  places.forEach(({ start, end }, index) => {
    pieces.push(body.subarray(from, start), Buffer.from(standIns[index] ?? ''));
    from = end;
  });
  return Buffer.concat([...pieces, body.subarray(from)]);
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

export function parseWhole(body: Buffer, fields: DocumentFields, maxValues?: number): ParsedLargeBody {
  const value = parseStrictJson(body, maxValues);
  const texts = [...takeOut(value, fields, isDocument)];
  const documents = new Map(texts.map(([field, text]) => [field, decodePdf(text)]));
  return { json: JSON.stringify(value), documents };
}

function isDocument(text: string): boolean {
  return text.length > MAX_ADDRESS_LENGTH;
}

/** Removes the texts at the fields from `value` and returns them, by field. */
function takeOut(
  value: unknown,
  fields: DocumentFields,
  isTaken: (text: string) => boolean,
): Map<string, string> {
  const taken = new Map<string, string>();
  for (const { holder, name, field } of fields.flatMap((names) => [...holdersOf(value, names)])) {
    const text: unknown = Reflect.get(holder, name);
    if (typeof text !== 'string' || !isTaken(text)) continue;
    Reflect.deleteProperty(holder, name);
    taken.set(field, text);
  }
  return taken;
}

/** The objects that may have a value at this field; each member of a list for `*`. */
function* holdersOf(
  value: unknown,
  [name, ...rest]: readonly string[],
  path = '',
): Generator<{ holder: object; name: string; field: string }> {
  if (name === undefined || typeof value !== 'object' || value === null) return;
  if (name === '*') {
    const members: unknown[] = Array.isArray(value) ? value : [];
    for (const [index, member] of members.entries()) yield* holdersOf(member, rest, `${path}[${index}]`);
    return;
  }
  const field = path === '' ? name : `${path}.${name}`;
  if (rest.length === 0) yield { holder: value, name, field };
  else yield* holdersOf(Reflect.get(value, name), rest, field);
}
